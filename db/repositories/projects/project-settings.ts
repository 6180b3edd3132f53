import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Settings to change; what is undefined stays. */
export interface ProjectSettings {
  name?: string | undefined;
  suppressTransactional?: boolean | undefined;
  /** `#rrggbb` in lower case, null for the default. */
  brandColor?: string | null | undefined;
}

const columns: Readonly<Record<keyof ProjectSettings, string>> = {
  name: 'name',
  suppressTransactional: 'suppress_transactional',
  brandColor: 'brand_color',
};

/** Changes settings of a project; every process hears of it. */
export async function updateProjectSettings(
  em: Em,
  projectId: string,
  settings: ProjectSettings,
): Promise<void> {
  await sql(
    em,
    `with wanted as (
       select * from jsonb_to_record($2::jsonb) as t(name text, suppress_transactional boolean, brand_color text)
     ),
     changed as (
       update projects p
       set name = coalesce(w.name, p.name),
         suppress_transactional = coalesce(w.suppress_transactional, p.suppress_transactional),
         brand_color = case when $2::jsonb ? 'brand_color' then w.brand_color else p.brand_color end,
         updated_at = now()
       from wanted w
       where p.id = $1
       returning p.id
     )
     select pg_notify('project_changed', id::text) from changed`,
    [
      projectId,
      JSON.stringify(
        Object.fromEntries(
          Object.entries(columns)
            // as: the keys are those of the record above.
            .map(([setting, column]) => [column, settings[setting as keyof ProjectSettings]])
            .filter(([, value]) => value !== undefined),
        ),
      ),
    ],
  );
}

/** Which of the first steps a project has taken. */
export interface SetupState {
  hasVerifiedDomain: boolean;
  hasSentEmail: boolean;
  hasContacts: boolean;
  hasTrackedEvent: boolean;
  hasCampaign: boolean;
  hasWorkflow: boolean;
}

/** As `isReservedEventName` of the core. */
const isReservedSql = `(names.name like 'email.%' or names.name in ('contact.subscribed', 'contact.unsubscribed')
  or names.name ~ '^segment[.][^.]+[.](entry|exit)$')`;

/**
 * Looks at the first row of each kind only. Names of events are walked one by one through the index until one is
 * found that a client sent: the service's own are few.
 */
export async function readSetupState(em: Em, projectId: string): Promise<SetupState> {
  const [row] = await sql<SetupState>(
    em,
    `with recursive names (name) as (
       (select name from contact_event_stats where project_id = $1 order by name limit 1)
       union all
       select (select s.name from contact_event_stats s
               where s.project_id = $1 and s.name > names.name order by s.name limit 1)
       from names where names.name is not null and ${isReservedSql}
     )
     select
       exists (select from domains where project_id = $1 and status = 'verified') as "hasVerifiedDomain",
       exists (select from contact_event_stats where project_id = $1 and name = 'email.sent') as "hasSentEmail",
       exists (select from contacts where project_id = $1) as "hasContacts",
       exists (select from names where name is not null and not ${isReservedSql})
         as "hasTrackedEvent",
       exists (select from campaigns where project_id = $1) as "hasCampaign",
       exists (select from workflows where project_id = $1) as "hasWorkflow"`,
    [projectId],
  );
  if (row === undefined) throw new Error('A select without a table must answer one row');
  return row;
}
