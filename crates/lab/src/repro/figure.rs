//! One figure: curves and what is to be said about them, as CSV, as a picture, and as a section of the page.

use crate::escape::escape;
use plotters::prelude::*;
use std::fmt::Write as _;
use std::path::Path;

/// One curve.
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Points (x, y); one that is not finite ends a line, and the next begins another.
    pub points: Vec<(f64, f64)>,
}

/// A figure.
pub struct Figure {
    /// Name of the files, and in `cargo xtask repro NAME`.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What the paper says.
    pub paper: &'static str,
    /// What came out.
    pub ours: String,
    /// Label of the horizontal axis with its unit.
    pub x: &'static str,
    /// Label of the vertical axis with its unit.
    pub y: &'static str,
    /// The vertical axis is logarithmic.
    pub log: bool,
    /// The horizontal axis goes on to here: room for the legend, or to make both axes equally long.
    pub room: Option<f64>,
    /// What is drawn.
    pub curves: Vec<Curve>,
}

/// Colours that stay apart for the colour-blind (Okabe and Ito; black, grey, a darker yellow, brown, violet and pink after them).
const COLOURS: [RGBColor; 12] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
    RGBColor(190, 180, 20),
    RGBColor(110, 60, 20),
    RGBColor(80, 20, 140),
    RGBColor(255, 160, 190),
];

/// Size of a picture in pixels.
const SIZE: (u32, u32) = (860, 380);

impl Figure {
    /// Writes `ID.csv` and `ID.svg` to a folder and gives the figure's section of the page.
    ///
    /// # Errors
    /// The file and why it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<String, String> {
        let save = |name: String, text: &str| {
            std::fs::write(dir.join(&name), text).map_err(|e| format!("{}: {e}", dir.join(&name).display()))
        };
        save(format!("{}.csv", self.id), &self.csv())?;
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|e| format!("{}: the picture: {e}", self.id))?;
        save(format!("{}.svg", self.id), &svg)?;
        Ok(format!(
            "<section id=\"{0}\"><h2>{1}</h2>{svg}<dl><dt>The paper</dt><dd>{2}</dd><dt>Here</dt><dd>{3}</dd></dl>\
             <p><a href=\"{0}.csv\">{0}.csv</a> · <a href=\"{0}.svg\">{0}.svg</a></p></section>\n",
            self.id,
            escape(self.title),
            escape(self.paper),
            escape(&self.ours).replace('\n', "<br>")
        ))
    }

    /// One row per point: curve, x, y.
    fn csv(&self) -> String {
        let mut out = format!("curve,{},{}\n", self.x, self.y);
        for c in &self.curves {
            // What is not finite ends a line and is no value.
            for (x, y) in c.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite()) {
                let _ = writeln!(out, "{},{x},{y}", c.name.replace(',', ";"));
            }
        }
        out
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let finite =
            || self.curves.iter().flat_map(|c| &c.points).filter(|p| p.0.is_finite() && p.1.is_finite());
        let usable = || finite().filter(|p| !self.log || p.1 > 0.0);
        let range = |of: fn(&(f64, f64)) -> f64| {
            usable().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
        };
        let (x, y) = (range(|p| p.0), range(|p| p.1));
        // Nothing to draw, or a single value: some range all the same.
        let wide =
            |(lo, hi): (f64, f64)| if lo < hi { (lo, hi) } else { (lo.min(0.0) - 1.0, hi.max(0.0) + 1.0) };
        let ((x0, x1), (y0, y1)) = (wide(x), wide(y));
        let x1 = self.room.map_or(x1, |r| r.max(x1));
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&root);
        chart.margin(8).x_label_area_size(36).y_label_area_size(72);
        // A tick at zero is off by rounding.
        let near = |v: f64, size: f64| short(if v.abs() < 1e-9 * size { 0.0 } else { v });
        let x_label = |v: &f64| near(*v, x1 - x0);
        let y_label = |v: &f64| if self.log { short(*v) } else { near(*v, y1 - y0) };
        macro_rules! draw {
            ($chart:expr) => {{
                let mut c = $chart;
                c.configure_mesh()
                    .light_line_style(WHITE)
                    .x_desc(self.x)
                    .y_desc(self.y)
                    .x_label_formatter(&x_label)
                    .y_label_formatter(&y_label)
                    .draw()?;
                for (curve, colour) in self.curves.iter().zip(COLOURS.iter().cycle()) {
                    let pieces = curve.points.split(|p| !p.0.is_finite() || !p.1.is_finite());
                    let mut named = false;
                    for piece in pieces.filter(|p| !p.is_empty()) {
                        let seen = piece.iter().copied().filter(|p| !self.log || p.1 > 0.0);
                        let drawn = if piece.len() > 1 {
                            c.draw_series(LineSeries::new(seen, colour.stroke_width(2)))?
                        } else {
                            c.draw_series(seen.map(|p| Circle::new(p, 2, colour.filled())))?
                        };
                        if !named {
                            named = true;
                            drawn.label(curve.name.clone()).legend(move |(x, y)| {
                                PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                            });
                        }
                    }
                }
                c.configure_series_labels()
                    .background_style(WHITE.mix(0.8))
                    .border_style(BLACK.mix(0.3))
                    .draw()?;
            }};
        }
        if self.log {
            // What is smaller by more is rounding; and the axis would take a label for every decade.
            let low = y0.max(1e-40 * y1).max(1e-200);
            draw!(chart.build_cartesian_2d(x0..x1, (low..y1.max(10.0 * low)).log_scale())?);
        } else {
            let room = 0.05 * (y1 - y0);
            draw!(chart.build_cartesian_2d(x0..x1, (y0 - room)..(y1 + room))?);
        }
        root.present()?;
        drop(root);
        Ok(())
    }
}

/// A number in few characters.
pub fn short(v: f64) -> String {
    let size = v.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{v:.1e}");
    }
    let text = format!("{v:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(log: bool, points: Vec<(f64, f64)>) -> Figure {
        let curves = vec![Curve { name: "a, b".into(), points }];
        Figure {
            id: "f",
            title: "T",
            paper: "<p>",
            ours: "o".into(),
            x: "x [s]",
            y: "y [N]",
            log,
            room: None,
            curves,
        }
    }

    #[test]
    fn every_kind_of_curve_can_be_drawn() {
        for log in [false, true] {
            for points in [
                vec![],
                vec![(0.0, 0.0)],
                vec![(0.0, f64::NAN), (1.0, f64::INFINITY), (2.0, 3.0)],
                vec![(0.0, -1.0), (1.0, 1e-300), (2.0, 1e12)],
            ] {
                let mut svg = String::new();
                figure(log, points).draw(&mut svg).unwrap();
                assert!(svg.contains("</svg>"));
            }
        }
    }

    #[test]
    fn zero_is_called_zero() {
        let mut svg = String::new();
        figure(false, vec![(0.0, -0.5 - 1e-16), (1.0, 0.5)]).draw(&mut svg).unwrap();
        assert!(!svg.contains("e-1"), "{svg}");
    }

    #[test]
    fn rows_are_one_for_each_point() {
        assert_eq!(figure(false, vec![(0.5, 2.0)]).csv(), "curve,x [s],y [N]\na; b,0.5,2\n");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            ["0", "1.5", "-2", "1.0e6", "1.0e-4"],
            [0.0, 1.5, -2.0, 1e6, 1e-4].map(short).each_ref().map(|s| s.as_str())
        );
    }
}
