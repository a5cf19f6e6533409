//! `table!`: a struct of columns, its borrowed view and its row, from one list of fields.
//!
//! Tables are how data crosses a seam: a kernel takes views (plain slices, `Copy`), the caller owns the
//! columns and reuses them, so a steady step allocates nothing.

/// Declares `Name` (owned columns), `View` (`Copy` slices) and `Row` (one value of each).
///
/// ```
/// impinge_geometry::table! {
///     /// Particles.
///     pub struct Particles / ParticlesView / Particle {
///         /// Mass (kg).
///         mass: f64,
///         /// Name.
///         id: u32,
///     }
/// }
/// let mut t = Particles::default();
/// t.push(Particle { mass: 2.0, id: 7 });
/// assert_eq!((t.len(), t.view().mass[0], t.row(0).id), (1, 2.0, 7));
/// ```
#[macro_export]
macro_rules! table {
    ($(#[$meta:meta])* pub struct $Name:ident / $View:ident / $Row:ident {
        $($(#[$field_meta:meta])* $field:ident : $ty:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Name { $($(#[$field_meta])* pub $field: Vec<$ty>,)* }

        #[doc = concat!("The columns of [`", stringify!($Name), "`] as slices.")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $View<'a> { $($(#[$field_meta])* pub $field: &'a [$ty],)* }

        #[doc = concat!("One row of [`", stringify!($Name), "`].")]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $Row { $($(#[$field_meta])* pub $field: $ty,)* }

        impl $Name {
            /// Appends a row.
            pub fn push(&mut self, row: $Row) { $(self.$field.push(row.$field);)* }

            /// Appends every row of another table.
            pub fn append_rows(&mut self, rows: &Self) { $(self.$field.extend_from_slice(&rows.$field);)* }

            /// Removes every row and keeps the memory.
            pub fn clear(&mut self) { $(self.$field.clear();)* }

            /// Shortens to `rows` rows and keeps the memory.
            pub fn truncate(&mut self, rows: usize) { $(self.$field.truncate(rows);)* }

            /// Rows the table can hold before it allocates.
            pub fn reserve(&mut self, rows: usize) { $(self.$field.reserve(rows);)* }

            /// Number of rows.
            pub fn len(&self) -> usize { [$(self.$field.len()),*][0] }

            /// `true` without rows.
            #[must_use]
            pub fn is_empty(&self) -> bool { self.len() == 0 }

            /// All columns have the same length, as they have but where columns were filled one by one and one was left out.
            pub fn is_whole(&self) -> bool { [$(self.$field.len()),*].iter().all(|n| *n == self.len()) }

            /// The columns as slices.
            pub fn view(&self) -> $View<'_> { $View { $($field: &self.$field,)* } }

            /// One row.
            ///
            /// # Panics
            /// When `i` is not below `len()`.
            pub fn row(&self, i: usize) -> $Row { self.view().row(i) }
        }

        impl $View<'_> {
            /// One row.
            ///
            /// # Panics
            /// When `i` is not below `len()`.
            pub fn row(&self, i: usize) -> $Row { $Row { $($field: self.$field[i].clone(),)* } }

            /// Number of rows.
            pub fn len(&self) -> usize { [$(self.$field.len()),*][0] }

            /// `true` without rows.
            #[must_use]
            pub fn is_empty(&self) -> bool { self.len() == 0 }
        }
    };
}
