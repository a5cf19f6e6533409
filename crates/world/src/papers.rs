//! BibTeX of the papers that the responses of this project are built on. Where the text at hand names no author, none is given.

/// Seed 000.
pub(crate) const CONTINUOUS: &str = "@article{tang2012continuous,
  author  = {Tang, Min and Manocha, Dinesh and Otaduy, Miguel A. and Tong, Ruofeng},
  title   = {Continuous Penalty Forces},
  journal = {ACM Transactions on Graphics},
  volume  = {31},
  number  = {4},
  year    = {2012}
}";

/// Seed 003.
pub(crate) const PENALTY: &str = "@misc{penalty_chapter,
  title = {Collision Handling with Penalty Methods},
  note  = {Chapter of a thesis}
}";

/// Seed 001.
pub(crate) const CONSTRAINTS: &str = "@misc{qpcollide,
  title = {QP-Collide}
}";

/// Seed 002.
pub(crate) const VOLUME: &str = "@article{allard2010volume,
  author  = {Allard, J{\\'e}r{\\'e}mie and Faure, Fran{\\c c}ois and Courtecuisse, Hadrien and Falipou, Florent and Duriez, Christian and Kry, Paul G.},
  title   = {Volume Contact Constraints at Arbitrary Resolution},
  journal = {ACM Transactions on Graphics},
  volume  = {29},
  number  = {3},
  note    = {Article 82},
  year    = {2010},
  doi     = {10.1145/1778765.1778819}
}";

/// Seed 004.
pub(crate) const PRESSURE: &str = "@inproceedings{elandt2019pressure,
  author    = {Elandt, Ryan and Drumwright, Evan and Sherman, Michael and Ruina, Andy},
  title     = {A pressure field model for fast, robust approximation of net contact force and moment between nominally rigid objects},
  booktitle = {IEEE/RSJ International Conference on Intelligent Robots and Systems (IROS)},
  year      = {2019}
}";
