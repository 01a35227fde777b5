/// An app for a diary of health and nutrition: eleven published versions of its models, and the plan that connects
/// them.
///
/// Two of its files are worth reading first: `SchemaV8`, which splits an attribute in two, and `SchemaV10`, which
/// changes four entities at once.
public enum FitIQ {}
