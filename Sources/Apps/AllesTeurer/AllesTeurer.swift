/// What groceries cost, where and when: products and their purchases, shared in a family.
///
/// Its models began without ids of their own, so the client gives each record one when it first syncs it and remembers
/// which. Its prices began as binary floating point and became exact with version 2.0.0.
///
/// A product's best and highest price follow from its purchases. The app computes them and so does every device anew after
/// it synced; here they are attributes like any other, and the latest one written wins.
public enum AllesTeurer {}
