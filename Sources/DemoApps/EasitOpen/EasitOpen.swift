/// An app that shows the shops that are open now: businesses and their opening hours.
///
/// Its builds did not have a version in code. The first two have no number in any document either; here they are 0.0.1
/// and 0.0.2. A client that sends no version is treated as one of 0.0.2, the plan's baseline. This is right for a
/// client of 0.0.1, too: 0.0.2 has everything that it sends, and the one attribute that is new to it is optional.
///
/// Opening hours were a list without ids, inverse or delete rule, and each refresh left the old ones behind. Here they
/// are entities that refer to their business and are deleted with it. Every device derives the same ids for them; see
/// `openingHours(of:onWeekdays:)`.
public enum EasitOpen {}
