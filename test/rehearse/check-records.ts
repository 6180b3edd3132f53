import { recountCampaign } from '../../db/statements/campaigns/campaign-figures.ts';
import { readAudienceFigures } from '../../db/statements/contacts/contact-figures.ts';
import { sql } from '../../db/testing/sql.ts';
import type { CountingSink } from '../setup/counting-sink.ts';
import { findWrongCounts } from '../setup/read-database.ts';
import { readClickHouse } from './clickhouse.ts';
import { compare, type Finding } from './findings.ts';
import { addressOf, type Book, type Ledger } from './ledger.ts';
import type { Stage } from './stage.ts';

const stepsOfExecution = 5;

/** `counts` says how often each number was found. */
function checkBook(what: string, book: Book, counts: ReadonlyMap<number, number>): Finding {
  const missing = [...book.accepted].filter((n) => !counts.has(n));
  const answered = (n: number) => book.accepted.has(n) || book.inDoubt.has(n);
  const twice = [...counts].filter(([n, count]) => count > 1 || !answered(n)).map(([n]) => n);
  const examples = [...missing.map((n) => `missing ${n}`), ...twice.map((n) => `twice ${n}`)].slice(0, 5);
  return {
    what,
    accepted: book.accepted.size,
    found: book.accepted.size - missing.length,
    missing: missing.length,
    twice: twice.length,
    inDoubt: book.inDoubt.size,
    examples,
  };
}

const countsOf = (rows: { n: number; count: number }[]) => new Map(rows.map(({ n, count }) => [n, count]));

export async function checkTracked(stage: Stage, ledger: Ledger): Promise<Finding[]> {
  const events = (name: string, key: string) =>
    sql<{ n: number; count: number }>(
      stage.em(),
      `select (data ->> $2)::int as n, count(*)::int as count from events where name = $1 group by 1`,
      [name, key],
    );
  return [
    checkBook('events of /v1/track', ledger.events, countsOf(await events('ordered', 'order'))),
    checkBook('sign-ups of /v1/track', ledger.signups, countsOf(await events('signup', 'n'))),
  ];
}

export async function checkExecutions(stage: Stage, ledger: Ledger, sink: CountingSink): Promise<Finding[]> {
  const read = <Row>(text: string) => sql<Row>(stage.em(), text, [ledger.workflowId]);
  const started = await read<{ n: number; count: number }>(
    `select (event ->> 'n')::int as n, count(*)::int as count
     from workflow_executions where workflow_id = $1 group by 1`,
  );
  const [ends] = await read<{ all: number; ended: number; steps: number; kept: number }>(
    `select count(*)::int as all,
       count(*) filter (where status = 'EXITED' and exit_reason = 'kept')::int as ended,
       coalesce(sum(r.steps), 0)::int as steps, coalesce(sum(r.kept), 0)::int as kept
     from workflow_executions x
     cross join lateral (
       select count(*) as steps, count(*) filter (where r.output -> 'statusCode' = '200') as kept
       from workflow_step_runs r where r.execution_id = x.id and r.completed_at is not null) r
     where workflow_id = $1`,
  );
  const { all = 0, ended = 0, steps = 0, kept = 0 } = ends ?? {};
  const successful = [...sink.calls.values()].filter(({ answered }) => answered.includes(200));
  const twice = successful.filter(({ answered }) => answered.filter((status) => status === 200).length > 1);
  return [
    checkBook('executions', ledger.signups, countsOf(started)),
    compare('executions that ended as drawn', all, ended),
    compare('steps', all * stepsOfExecution, steps),
    {
      // A call whose worker died before the answer is in doubt, and is not repeated.
      what: 'calls of executions',
      accepted: kept,
      found: successful.length,
      missing: Math.max(0, kept - successful.length),
      twice: twice.length,
      inDoubt: all - kept,
      examples: twice.map(
        ({ answered, arrivedAt }) => `${answered} at ${arrivedAt.map((at) => at.toISOString())}`,
      ),
    },
  ];
}

export async function checkImports(stage: Stage, ledger: Ledger): Promise<Finding[]> {
  const files = [...ledger.imports];
  const jobs = await sql<{ id: string; rows: number }>(
    stage.em(),
    `select id, (result ->> 'totalRows')::int as rows from jobs where state = 'completed' and id = any($1::uuid[])`,
    [files.map(([, { jobId }]) => jobId)],
  );
  const contacts = await sql<{ address: string; count: number }>(
    stage.em(),
    `select email as address, count(*)::int as count from contacts
     where project_id = $1 and email like 'row-%' group by email`,
    [ledger.importProjectId],
  );
  const found = new Map(contacts.map(({ address, count }) => [address, count]));
  const addresses = files.flatMap(([file, { rows }]) =>
    Array.from({ length: rows }, (_, row) => addressOf.importRow(file, row)),
  );
  const missing = addresses.filter((address) => !found.has(address)).length;
  return [
    compare('files imported', files.length, jobs.length),
    {
      what: 'rows imported',
      accepted: addresses.length,
      found: addresses.length - missing,
      missing,
      twice: [...found.values()].filter((count) => count > 1).length,
    },
  ];
}

export async function checkCounters(stage: Stage, ledger: Ledger): Promise<Finding[]> {
  const { campaign, senders } = ledger;
  const wrong = await recountCampaign(stage.em(), campaign.id);
  const findings = [compare('counters of the campaign, sum of differences', 0, wrong)];
  let wrongStatistics = 0;
  const totals = { counted: 0, kept: 0 };
  for (const { projectId } of senders) {
    wrongStatistics += (await findWrongCounts(stage.em(), projectId)).length;
    const [row] = await sql<{ contacts: number }>(
      stage.em(),
      'select count(*)::int as contacts from contacts where project_id = $1',
      [projectId],
    );
    totals.counted += row?.contacts ?? 0;
    totals.kept += (await readAudienceFigures(stage.em(), projectId)).contacts;
  }
  findings.push(compare('statistics of contacts that differ', 0, wrongStatistics));
  findings.push(compare('contacts counted and kept', totals.counted, totals.kept));
  return findings;
}

interface NameFigures {
  name: string;
  rows: number;
  ids: string;
}

/** Per name, the number of events and the XOR of their ids, so that equal figures mean equal sets. */
export async function checkClickHouse(stage: Stage): Promise<Finding[]> {
  const journal = await sql<NameFigures>(
    stage.em(),
    `select name, count(*)::int as rows,
       bit_xor(('x' || right(replace(id::text, '-', ''), 16))::bit(64)::bigint)::text as ids
     from events group by name`,
  );
  const copied = await readClickHouse<{ name: string; events: string; ids: string }>(
    stage,
    `SELECT name, toString(count()) AS events, toString(groupBitXor(low)) AS ids FROM (
       SELECT DISTINCT name, event_id,
         reinterpretAsInt64(reverse(unhex(right(replaceAll(toString(event_id), '-', ''), 16)))) AS low
       FROM posthaste.event) GROUP BY name`,
  );
  const copies = new Map(copied.map(({ name, events, ids }) => [name, { rows: Number(events), ids }]));
  const differing = journal.filter(({ name, rows, ids }) => {
    const copy = copies.get(name);
    return copy?.rows !== rows || copy.ids !== ids;
  });
  const sum = (counts: Iterable<{ rows: number }>) =>
    [...counts].reduce((total, { rows }) => total + rows, 0);
  const [sent] = await sql<{ emails: number }>(
    stage.em(),
    'select count(sent_at)::int as emails from emails',
  );
  const [figures] = await readClickHouse<{ emails: string }>(
    stage,
    `SELECT toString(count()) AS emails FROM posthaste.email
     WHERE sent_at < toDateTime64('2299-01-01 00:00:00', 3, 'UTC')`,
  );
  return [
    {
      ...compare('journal in ClickHouse', sum(journal), sum(copies.values())),
      examples: differing.map(({ name, rows }) => `${name}: ${rows}, there ${copies.get(name)?.rows ?? 0}`),
    },
    compare('names of events that differ there', 0, differing.length),
    compare('sent emails in ClickHouse', sent?.emails ?? 0, Number(figures?.emails ?? 0)),
  ];
}
