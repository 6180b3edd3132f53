import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { connectForLoad, inBatches, random, withoutIndexes } from './bulk-load.ts';

interface AudienceOptions {
  /** Contacts of the project itself; default 1,000,000. */
  contacts?: number;
  /** Events of its contacts, all names together, approximately; default 5,000,000. */
  events?: number;
}

/** Every 23rd contact belongs to another project, between the rows of the large one. */
const foreignEvery = 23;
const foreignProjects = 30;

const journalDays = 180;

const oneOf = (list: readonly string[], at: string) =>
  `(array['${list.join("', '")}'])[1 + floor(${list.length} * ${at})::int]`;

const share = (part: number, salt: number, then: string) =>
  `case when ${random('n', salt)} < ${part} then ${then} end`;

const isoDateTime = (at: string) => `to_char(${at}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const daysAgo = (days: number, salt: number) => `(now() - ${days} * ${random('n', salt)} * interval '1 day')`;

const firstNames = ['Ada', 'Berta', 'Carl', 'Dora', 'Emil', 'Frida', 'Georg', 'Hana', 'Ines', 'Jan'];
const countries = [
  'DE',
  'DE',
  'DE',
  'FR',
  'FR',
  'US',
  'US',
  'US',
  'US',
  'GB',
  'ES',
  'IT',
  'NL',
  'PT',
  'AT',
  'CH',
];
const plans = ['free', 'free', 'free', 'free', 'free', 'free', 'pro', 'pro', 'business', 'enterprise'];
const cities = [
  'Berlin',
  'Paris',
  'Madrid',
  'Lisboa',
  'Roma',
  'Utrecht',
  'Wien',
  'Zürich',
  'London',
  'Boston',
];
const domains = ['example.com', 'mail.example.com', 'example.org', 'example.net', 'shop.example.net'];
const locales = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'it'];

/** Two to nine keys; most occasionally hold a value of another type. */
const dataSql = `jsonb_strip_nulls(jsonb_build_object(
  'firstName', ${oneOf(firstNames, random('n', 1))},
  'plan', ${share(0.92, 2, `case when ${random('n', 3)} < 0.005 then to_jsonb(n % 4) else to_jsonb(${oneOf(plans, random('n', 4))}) end`)},
  'country', ${share(0.8, 5, oneOf(countries, random('n', 6)))},
  'age', ${share(0.6, 7, `case when ${random('n', 8)} < 0.01 then to_jsonb((18 + n % 60)::text) else to_jsonb(18 + floor(62 * ${random('n', 9)})) end`)},
  'signupDate', ${share(0.7, 10, `case when ${random('n', 11)} < 0.01 then 'unknown' when ${random('n', 11)} < 0.1 then left(${isoDateTime('created_at')}, 10) else ${isoDateTime('created_at')} end`)},
  'lastSeen', ${share(0.55, 12, isoDateTime(daysAgo(400, 13)))},
  'address', ${share(0.3, 14, `jsonb_build_object('city', ${oneOf(cities, random('n', 15))}, 'zip', (10000 + n % 80000)::text, 'geo', jsonb_build_object('lat', 40 + n % 20))`)},
  'locale', ${share(0.5, 16, oneOf(locales, random('n', 17)))},
  'orders', ${share(0.4, 18, `floor(40 * power(${random('n', 19)}, 3))`)}))`;

const contactsSql = `
insert into contacts (id, project_id, email, subscribed, snoozed_until, data, created_at, updated_at)
select id, project_id, 'user' || n || '@' || ${oneOf(domains, random('n', 20))}, ${random('n', 21)} < 0.9,
  ${share(0.002, 22, `now() + interval '14 days'`)}, ${dataSql}, created_at,
  created_at + ${random('n', 23)} * (now() - created_at)
from bench_contacts where n between $1 and $2 order by n`;

/** Share of each name in the journal, typical for a shop. */
const eventShares = [
  ['product viewed', 0.3],
  ['email.sent', 0.2],
  ['email.delivery', 0.19],
  ['email.open', 0.1],
  ['order placed', 0.08],
  ['cart abandoned', 0.06],
  ['app opened', 0.04],
  ['email.click', 0.03],
] as const;

const eventNameSql = (() => {
  let upTo = 0;
  const cases = eventShares.map(([name, part]) => {
    upTo += part;
    return `when ${upTo.toFixed(2)} > u then '${name}'`;
  });
  return `case ${cases.join(' ')} end`;
})();

/** A third of the contacts has most of the events, spread over the table. */
const eventsSql = `
insert into events (id, project_id, name, kind, contact_id, email_id, data, occurred_at)
select uuidv7(at - now()), project_id, name, case when name like 'email.%' then 'emitted' else 'tracked' end, id,
  case when name like 'email.%' then gen_random_uuid() end,
  jsonb_build_object('product', 'P' || m % 5000, 'price', m % 300), at
from (
  select m, ${eventNameSql.replaceAll('u then', `${random('m', 30)} then`)} as name,
    now() - ${journalDays} * (1 - m / $3::float8) * interval '1 day' as at,
    1 + (floor($4 * power(${random('m', 31)}, 2))::bigint * 7919) % $4::bigint as n
  from generate_series($1::bigint, $2::bigint) m
) made
join bench_contacts using (n)
order by m`;

const statisticsSql = `
insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
select project_id, name, contact_id, count(*), min(occurred_at), max(occurred_at), max(id::text)::uuid
from events
where kind <> 'activity' and contact_id is not null
group by project_id, name, contact_id`;

/**
 * Fills a project of an empty database with contacts, their journal and derived data, along with some tens of thousands
 * of contacts of other projects. Each run creates the same rows except for ids and the current time.
 * @param fillMore runs once the contacts exist, in parallel with the journal
 * @returns ids of the other projects; each has some 1,500 contacts
 */
export async function fillAudience(
  databaseUrl: string,
  projectId: string,
  { contacts = 1_000_000, events = 5_000_000 }: AudienceOptions = {},
  fillMore: () => Promise<void> = async () => undefined,
): Promise<string[]> {
  const others = Array.from({ length: foreignProjects }, () => uuidv7());
  const withForeign = (count: number) => Math.floor((count * foreignEvery) / (foreignEvery - 1));
  const client = await connectForLoad(databaseUrl);
  try {
    await fillContacts(client, withForeign(contacts), projectId, others);
    await Promise.all([fillJournal(client, withForeign(events), withForeign(contacts)), fillMore()]);
  } finally {
    await client.end();
  }
  return others;
}

async function fillContacts(
  client: pg.Client,
  contacts: number,
  projectId: string,
  others: readonly string[],
): Promise<void> {
  await client.query(
    `create temporary table bench_contacts as
     select n, case when n % ${foreignEvery} = 0 then ($3::uuid[])[1 + (n / ${foreignEvery}) % ${foreignProjects}] else $2::uuid end as project_id,
       now() - 730 * (1 - n / $1::float8) * interval '1 day' as created_at,
       uuidv7(-730 * (1 - n / $1::float8) * interval '1 day') as id
     from generate_series(1, $1::bigint) n`,
    [contacts, projectId, others],
  );
  await client.query('analyze bench_contacts');
  await withoutIndexes(client, 'contacts', () =>
    inBatches(contacts, 100_000, [client], (_, from, to) => client.query(contactsSql, [from, to])),
  );
  await client.query(
    `insert into contact_fields (project_id, key, type)
     select $1, key, type from (values ('firstName', 'string'), ('plan', 'string'), ('country', 'string'),
       ('age', 'number'), ('signupDate', 'date'), ('lastSeen', 'date'), ('address', 'string'),
       ('locale', 'string'), ('orders', 'number')) field (key, type)`,
    [projectId],
  );
}

async function fillJournal(client: pg.Client, events: number, contacts: number): Promise<void> {
  await withoutIndexes(client, 'events', () =>
    inBatches(events, 1_000_000, [client], (_, from, to) =>
      client.query(eventsSql, [from, to, events, contacts]),
    ),
  );
  await withoutIndexes(client, 'contact_event_stats', () => client.query(statisticsSql));
  await client.query('vacuum analyze contacts, contact_figure_changes, events, contact_event_stats');
}
