/// The files of the server's own line of migrations, as they are in `Migrations/sync`.
///
/// A package of an app's own has no copy of them: they come with the library that they belong to.
package enum ServerMigrations {
    /// In the order of their numbers. A test compares them with the folder.
    ///
    /// SwiftPM puts the bytes of each into the program, and makes an underscore of a name's first digit.
    package static let files: [(name: String, bytes: [UInt8])] = [
        ("0001-create-spaces-and-tokens.sql", PackageResources._001_create_spaces_and_tokens_sql),
        ("0002-remember-clamped-stamps.sql", PackageResources._002_remember_clamped_stamps_sql),
        ("0003-collect-tombstones.sql", PackageResources._003_collect_tombstones_sql),
        ("0004-remember-increments.sql", PackageResources._004_remember_increments_sql),
        ("0005-recognize-restored-databases.sql", PackageResources._005_recognize_restored_databases_sql),
        ("0006-hold-changes.sql", PackageResources._006_hold_changes_sql),
        ("0007-raise-spaces.sql", PackageResources._007_raise_spaces_sql),
        ("0008-count-devices.sql", PackageResources._008_count_devices_sql),
        ("0009-read-heads.sql", PackageResources._009_read_heads_sql),
        ("0010-ask-once-for-the-space.sql", PackageResources._010_ask_once_for_the_space_sql),
        ("0011-spare-small-pushes.sql", PackageResources._011_spare_small_pushes_sql),
        ("0012-expect-large-spaces.sql", PackageResources._012_expect_large_spaces_sql),
        ("0013-narrow-what-serving-reaches.sql", PackageResources._013_narrow_what_serving_reaches_sql),
        ("0014-measure-records.sql", PackageResources._014_measure_records_sql),
        ("0015-clear-deleted-records.sql", PackageResources._015_clear_deleted_records_sql),
        ("0016-remember-judgements.sql", PackageResources._016_remember_judgements_sql),
        ("0017-tell-files-put-back.sql", PackageResources._017_tell_files_put_back_sql),
        ("0018-keep-texts-of-ids.sql", PackageResources._018_keep_texts_of_ids_sql),
        ("0019-share-spaces.sql", PackageResources._019_share_spaces_sql),
        ("0020-let-tokens-expire.sql", PackageResources._020_let_tokens_expire_sql),
        ("0021-end-versions.sql", PackageResources._021_end_versions_sql),
        ("0022-count-what-spaces-hold.sql", PackageResources._022_count_what_spaces_hold_sql),
        ("0023-tell-what-goes-on.sql", PackageResources._023_tell_what_goes_on_sql),
        (
            "0024-keep-the-epoch-of-a-promoted-standby.sql",
            PackageResources._024_keep_the_epoch_of_a_promoted_standby_sql
        ),
        ("0025-ask-rights-where-things-happen.sql", PackageResources._025_ask_rights_where_things_happen_sql),
        ("0026-count-who-stands-behind-devices.sql", PackageResources._026_count_who_stands_behind_devices_sql),
        ("0027-end-provider-tokens-with-accounts.sql", PackageResources._027_end_provider_tokens_with_accounts_sql),
        ("0028-note-what-operators-do.sql", PackageResources._028_note_what_operators_do_sql),
        ("0029-shut-what-stood-open.sql", PackageResources._029_shut_what_stood_open_sql),
        (
            "0030-keep-what-held-changes-had-read.sql", PackageResources._030_keep_what_held_changes_had_read_sql
        ),
        ("0031-count-deletions.sql", PackageResources._031_count_deletions_sql),
        ("0032-prove-that-all-is-counted.sql", PackageResources._032_prove_that_all_is_counted_sql),
        (
            "0033-note-when-stamps-were-replaced.sql", PackageResources._033_note_when_stamps_were_replaced_sql
        ),
        ("0034-guard-buckets.sql", PackageResources._034_guard_buckets_sql),
        ("0035-map-buckets-to-databases.sql", PackageResources._035_map_buckets_to_databases_sql),
        ("0036-count-rights-beside-members.sql", PackageResources._036_count_rights_beside_members_sql),
        ("0037-move-buckets.sql", PackageResources._037_move_buckets_sql),
    ]
}
