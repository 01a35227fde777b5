/// What somebody takes and drinks, and means to: entries, their kinds, goals, and one set of settings.
///
/// Its first store had no version number, so a client that names none is one of version 0.0.0, the plan's baseline.
/// Every version renamed every class; here they are the same four entities throughout.
///
/// Version 1.0.0 made `id` unique and 2.0.0 took that back, because CloudKit knows no unique attributes. Here it never
/// was a question: `id` is the record's identity, and of one id a space has one record, whatever the version.
///
/// An entry refers to its kind, and a kind's deletion leaves its entries, in all versions.
public enum KeepTrack {}
