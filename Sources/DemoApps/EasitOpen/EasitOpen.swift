/// Which shops are open now: businesses and their opening hours.
///
/// Its builds never stated a version in code. The first two have no number in any document either; they are 0.0.1 and
/// 0.0.2 here, and a client that names no version is one of 0.0.2, the plan's baseline. So is one of 0.0.1: all that it
/// sends is in 0.0.2 too, and the one attribute more that it is sent is optional.
///
/// Opening hours were a list without ids, inverse or delete rule, and each refresh left the old ones behind. Here they
/// are entities that refer to their business, go with it, and have ids that every device derives alike; see
/// `openingHours(of:onWeekdays:)`.
public enum EasitOpen {}
