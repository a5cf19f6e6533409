//! One self-contained HTML report per run, with plots and 3-D playback.
