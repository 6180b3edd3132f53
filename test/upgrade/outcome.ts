import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { storedMessages } from '../../local/ses/testing/stored-messages.ts';
import type { UpgradeStage } from './stage.ts';

/**
 * @param emails number of emails by address
 * @param seen addresses with one event each
 * @returns the faults, in sentences
 */
export async function findFaults(
  stage: UpgradeStage,
  emails: ReadonlyMap<string, number>,
  seen: readonly string[],
): Promise<string[]> {
  return [
    ...compareInbox(stage, emails),
    ...(await compareEvents(stage, seen)),
    ...(await findBadRows(stage)),
    ...(await findFailedTasks(stage)),
  ];
}

function compareInbox({ sesDirectory }: UpgradeStage, expected: ReadonlyMap<string, number>): string[] {
  const byAddress = new Map<string, number>();
  const byEmail = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { recipients, tags } of storedMessages(sesDirectory)) {
    for (const address of recipients) count(byAddress, address);
    count(byEmail, tags.emailId ?? 'without an id');
  }
  const wrong = [...expected]
    .filter(([address, times]) => byAddress.get(address) !== times)
    .map(([address, times]) => `${address} got ${byAddress.get(address) ?? 0} emails instead of ${times}`);
  const unexpected = [...byAddress.keys()].filter((address) => !expected.has(address));
  const twice = [...byEmail]
    .filter(([, times]) => times > 1)
    .map(([id]) => `email ${id} left more than once`);
  return [
    ...wrong,
    ...unexpected.map((address) => `${address} got an email that nobody asked for`),
    ...twice,
  ];
}

async function compareEvents(stage: UpgradeStage, expected: readonly string[]): Promise<string[]> {
  const rows = await stage.read<{ email: string; events: number; counted: number }>(
    `select c.email, count(e.id)::int as events, max(s.count)::int as counted from contacts c
     left join events e on e.contact_id = c.id and e.name = 'seen'
     left join contact_event_stats s on s.contact_id = c.id and s.name = 'seen'
     where c.email like 'seen-%' group by c.email`,
  );
  const found = new Map(rows.map(({ email, events, counted }) => [email, `${events} and ${counted}`]));
  return expected
    .filter((email) => found.get(email) !== '1 and 1')
    .map((email) => `${email} has ${found.get(email) ?? 'no'} events in the journal and in its figures`);
}

async function findBadRows(stage: UpgradeStage): Promise<string[]> {
  const rows = await stage.read<{ what: string }>(
    `select 'execution ' || id || ' is ' || status || ' ' || coalesce(exit_reason, '') as what
       from workflow_executions where status not in ('COMPLETED')
     union all select 'email ' || id || ' is ' || status from emails where status not in ('DELIVERED', 'OPENED', 'CLICKED')
     union all select 'campaign ' || id || ' is ' || status from campaigns where status <> 'SENT'
     union all select 'command ' || kind || ' is dead: ' || coalesce(last_error, '') from outbox where dead_at is not null`,
  );
  return rows.map(({ what }) => what);
}

/**
 * A worker of the old version fails the task of a workflow type that only the new version has, and Temporal gives the
 * task to another worker. That is no fault if a new worker completes it.
 */
const onlyNewVersionHasType = /^Failed to initialize workflow of type '\w+': no such function/;

/** A signal arrived while the task was being worked on. Temporal gives it to a worker again, along with the signal. */
const signalArrived =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND;

/** Failed tasks, from the output of the workers and from Temporal. */
async function findFailedTasks(stage: UpgradeStage): Promise<string[]> {
  const said = stage
    .outputs()
    .flatMap(({ output }) => output.split('\n'))
    .filter((line) => /nondeterminism|non-determinis|DeterminismViolation/i.test(line));
  const connection = await Connection.connect({ address: stage.temporalAddress });
  const { workflow } = new Client({ connection });
  const failed: string[] = [];
  for await (const { workflowId, runId } of workflow.list({ pageSize: 1000 })) {
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    for (const [index, { workflowTaskFailedEventAttributes: failure }] of (events ?? []).entries()) {
      if (!failure) continue;
      const message = failure.failure?.message ?? '';
      const wasTakenOver = events?.slice(index).some((event) => event.workflowTaskCompletedEventAttributes);
      const isUsual = onlyNewVersionHasType.test(message) || failure.cause === signalArrived;
      if (isUsual && wasTakenOver) continue;
      failed.push(`a task of ${workflowId} failed: ${failure.cause} ${message}`);
    }
  }
  await connection.close();
  return [...said.map((line) => line.slice(0, 500)), ...failed];
}

/** Errors that processes logged, with their counts: what was retried, and why. */
export function summarizeErrors(stage: UpgradeStage): string[] {
  const counts = new Map<string, number>();
  for (const { name, output } of stage.outputs()) {
    for (const line of output.split('\n').filter((text) => /"level":[56]0/.test(text))) {
      const { msg, err, route, status } = parse(line);
      const about = err?.message ?? [route, status].filter((part) => part !== undefined).join(' ');
      const text = `${name}: ${msg} ${about || line}`.slice(0, 300);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return [...counts].map(([text, times]) => `${times} × ${text}`);
}

interface LogLine {
  msg?: string;
  err?: { message?: string };
  route?: string;
  status?: number;
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}
