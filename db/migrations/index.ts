import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

function sqlMigration(name: string) {
  return {
    name,
    class: class extends Migration {
      override up(): void {
        this.addSql(readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8'));
      }
    },
  };
}

/**
 * Every migration, oldest first. They only go forward: what has been released is never edited. Functions and triggers
 * are files of `db/functions`.
 */
export const migrations = [
  sqlMigration('2026-11-21-foundation'),
  sqlMigration('2026-11-21-audience'),
  sqlMigration('2026-11-21-campaigns'),
  sqlMigration('2026-11-21-public-pages'),
  sqlMigration('2026-11-21-workflows'),
  sqlMigration('2026-11-21-accounts'),
  sqlMigration('2026-11-21-billing'),
  sqlMigration('2026-11-22-invitation-limits'),
  sqlMigration('2026-11-22-unjudged-days'),
  sqlMigration('2026-11-22-endless-workflows'),
  sqlMigration('2026-11-22-domain-claims'),
  sqlMigration('2026-11-22-sign-in-attempts'),
  sqlMigration('2026-11-22-name-limits'),
  sqlMigration('2026-11-22-fair-sending'),
  sqlMigration('2026-11-22-outbox-lanes'),
  sqlMigration('2026-11-22-pinned-templates'),
  sqlMigration('2026-11-22-inbound'),
  sqlMigration('2026-11-22-project-resets'),
  sqlMigration('2026-11-22-upload-quota'),
  sqlMigration('2026-11-22-function-files'),
  sqlMigration('2026-11-22-email-log'),
  sqlMigration('2026-11-22-sign-in-links'),
  sqlMigration('2026-11-22-campaign-recipients'),
  sqlMigration('2026-11-22-step-versions'),
  sqlMigration('2026-11-22-suppression-search'),
  sqlMigration('2026-11-22-project-brand'),
  sqlMigration('2026-11-22-withheld-recipients'),
  sqlMigration('2026-11-22-sessions'),
  sqlMigration('2026-11-22-roomy-emails'),
  sqlMigration('2026-11-23-partitions'),
  sqlMigration('2026-11-23-execution-totals'),
  sqlMigration('2026-11-23-address-search'),
  sqlMigration('2026-11-23-segment-rounds'),
  sqlMigration('2026-11-23-shared-contents'),
  sqlMigration('2026-11-24-hops-of-changes'),
  sqlMigration('2026-11-25-refused-rows'),
  sqlMigration('2026-11-26-custom-recipients'),
  sqlMigration('2026-11-28-second-passes'),
  sqlMigration('2026-11-28-erasures-by-store'),
  sqlMigration('2026-11-28-rows-per-project'),
  sqlMigration('2026-11-28-retries'),
  sqlMigration('2026-11-29-computation-turns'),
  sqlMigration('2026-11-29-other-values'),
  sqlMigration('2026-11-29-rejected-rows'),
  sqlMigration('2026-12-01-link-requests'),
  sqlMigration('2026-12-01-created-records'),
];
