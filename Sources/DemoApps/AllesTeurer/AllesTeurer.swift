/// What groceries cost, where and when: products and their purchases, shared in a family.
///
/// Its models began without ids of their own, so the client gives each record one when it first syncs it and remembers
/// which. Its prices began as binary floating point and became exact with version 2.0.0.
///
/// A product's best and highest price follow from its purchases, and every device computes them anew after it synced.
/// Here they are attributes like any other: the latest one written wins.
public enum AllesTeurer {}
