//! hecs components, stages and the pipeline of one contact step.
