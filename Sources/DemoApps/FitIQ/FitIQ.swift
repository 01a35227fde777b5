/// A health and nutrition diary: eleven published versions of its models, and the plan that joins them.
///
/// Two of its files are worth reading first: `SchemaV8`, which splits an attribute in two, and `SchemaV10`, which
/// rewrites four entities at once.
public enum FitIQ {}
