//! `impinge stages`: the data-flow table.

use crate::arguments;
use crate::fail;
use impinge_integrators::Scheme;
use impinge_world::{Family, Response, adapters::Names, standard};
use std::process::ExitCode;

/// Prints the table of the standard pipeline with this response as Markdown.
pub fn command(response: &str) -> ExitCode {
    let response = match arguments::response_named(response) {
        Ok(Family::Penalty) => Response::penalty(),
        Ok(Family::Cpf) => Response::cpf(),
        Ok(Family::DpfCcd) => Response::dpf_ccd(),
        Ok(Family::CpfImplicit) => Response::cpf_implicit(),
        Ok(Family::Qp) => Response::qp(),
        Ok(Family::Volume) => Response::volume(),
        Ok(Family::VolumePenalty) => Response::volume_penalty(),
        Ok(Family::Pressure) => Response::pressure(),
        Err(e) => return fail(&e),
    };
    say!("{}", standard(response, Scheme::default(), &Names::from(Vec::new())).flow_markdown().trim_end());
    ExitCode::SUCCESS
}
