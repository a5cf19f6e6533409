//! Tables that cross the seams of a contact step: surface map, loads, ledger, friction, fixed-order sums.
