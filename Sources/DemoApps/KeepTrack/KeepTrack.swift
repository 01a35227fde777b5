/// A diary of medicines and drinks, taken and planned. It consists of entries, their kinds, goals, and one set of
/// settings.
///
/// The app's first version had no number; the plan calls it 0.0.0. A client that sends no version is treated as 0.0.0.
/// Each version has other class names, but they are names of the same four entities.
///
/// Version 1.0.0 made `id` a unique attribute, and version 2.0.0 dropped this constraint, because CloudKit does not
/// allow it. On this server both are the same: `id` identifies the record.
///
/// An entry refers to its kind. If a kind is deleted, its entries stay, in all versions.
public enum KeepTrack {}
