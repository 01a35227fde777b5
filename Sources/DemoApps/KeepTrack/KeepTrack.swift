/// A diary of medicines and drinks, taken and planned: entries, their kinds, goals, and one set of settings.
///
/// Its first store had no version number. So a client that sends none is treated as one of version 0.0.0, the plan's
/// baseline. Every version renamed every class; here they are the same four entities in all versions.
///
/// Version 1.0.0 made `id` unique and 2.0.0 took that back, because CloudKit has no unique attributes. Here both are
/// the same: `id` is the record's identity, and a space has one record of each id, whatever the version.
///
/// An entry refers to its kind. The deletion of a kind leaves its entries, in all versions.
public enum KeepTrack {}
