/// The words of PostgreSQL 15's language (`pg_get_keywords`).
enum ReservedWords {
    /// May name nothing, or only functions and types, without quotes.
    static let reserved = words(
        """
        all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
        collation column concurrently constraint create cross current_catalog current_date current_role current_schema
        current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch
        for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral
        leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer
        overlaps placing primary references returning right select session_user similar some symmetric table
        tablesample then to trailing true union unique user using variadic verbose when where window with
        """)

    /// May name no function or type without quotes.
    static let ofColumns = words(
        """
        between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping inout
        int integer interval least national nchar none normalize nullif numeric out overlay position precision real
        row setof smallint substring time timestamp treat trim values varchar xmlattributes xmlconcat xmlelement
        xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
        """)

    /// May name anything.
    static let free = words(
        """
        abort absolute access action add admin after aggregate also alter always asensitive assertion assignment at
        atomic attach attribute backward before begin breadth by cache call called cascade cascaded catalog chain
        characteristics checkpoint class close cluster columns comment comments commit committed compression
        configuration conflict connection constraints content continue conversion copy cost csv cube current cursor
        cycle data database day deallocate declare defaults deferred definer delete delimiter delimiters depends depth
        detach dictionary disable discard document domain double drop each enable encoding encrypted enum escape event
        exclude excluding exclusive execute explain expression extension external family filter finalize first
        following force forward function functions generated global granted groups handler header hold hour identity
        if immediate immutable implicit import include including increment index indexes inherit inherits inline input
        insensitive insert instead invoker isolation key label language large last leakproof level listen load local
        location lock locked logged mapping match matched materialized maxvalue merge method minute minvalue mode
        month move name names new next nfc nfd nfkc nfkd no normalized nothing notify nowait nulls object of off oids
        old operator option options ordinality others over overriding owned owner parallel parameter parser partial
        partition passing password plans policy preceding prepare prepared preserve prior privileges procedural
        procedure procedures program publication quote range read reassign recheck recursive ref referencing refresh
        reindex relative release rename repeatable replace replica reset restart restrict return returns revoke role
        rollback rollup routine routines rows rule savepoint schema schemas scroll search second security sequence
        sequences serializable server session set sets share show simple skip snapshot sql stable standalone start
        statement statistics stdin stdout storage stored strict strip subscription support sysid system tables
        tablespace temp template temporary text ties transaction transform trigger truncate trusted type types uescape
        unbounded uncommitted unencrypted unknown unlisten unlogged until update vacuum valid validate validator value
        varying version view views volatile whitespace within without work wrapper write xml year yes zone
        """)

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map { word in
            let parts = word.split(separator: "_")
            return parts.dropFirst().reduce(String(parts[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        }
    }
}
