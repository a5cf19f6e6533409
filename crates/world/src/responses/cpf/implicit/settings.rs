//! Column of the response `cpf-implicit`.

use crate::column::columns;

pub use impinge_cpf::{NewtonReport, NewtonSettings};

columns! {
    NewtonReport => "newton report", Step;
}
