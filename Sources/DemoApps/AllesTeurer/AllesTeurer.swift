/// An app in which a family records the prices of groceries by shop and date: products and their purchases.
///
/// Its models began without ids, so the client gives each record an id at its first sync, and stores it. Its prices
/// were binary floating point at first, and are exact from version 2.0.0 on.
///
/// A product's best and highest price follow from its purchases, and every device computes them anew after each sync.
/// Here they are attributes like any other: the latest write wins.
public enum AllesTeurer {}
