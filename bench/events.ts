import { randomUUID, verify, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { sql } from '../db/testing/sql.ts';
import { localTopicArn } from '../local/environment.ts';
import { createSnsSigner, type SnsSigner, stringToSign } from '../local/ses/events/sns-signer.ts';
import { listen } from '../local/testing/listen.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { presentLatencies, requireStatus, runLoad } from './http-load.ts';
import type { BenchRun } from './report.ts';

const connections = 100;
const emails = 9_000;
const eventsPerEmail = 3;
const insertEmailsSql = `
with contact as (
  insert into contacts (id, project_id, email)
  select uuidv7(), $1, 'contact-' || n || '@example.com' from unnest($2::uuid[]) with ordinality as e(id, n)
  returning id, email
)
insert into emails (id, project_id, contact_id, source, to_email, from_email, subject, status, message_id, sent_at)
select e.id, $1, c.id, 'TRANSACTIONAL', c.email, 'hello@sender.example.com', 'Your code', 'SENT', e.id::text, now()
from unnest($2::uuid[]) with ordinality as e(id, n)
join contact c on c.email = 'contact-' || e.n || '@example.com'`;

function sesEvent(emailId: string, kind: number): string {
  const timestamp = new Date().toISOString();
  const mail = {
    timestamp,
    messageId: emailId,
    source: 'hello@sender.example.com',
    destination: ['contact@example.com'],
    tags: { emailId: [emailId], 'ses:configuration-set': ['posthaste'] },
    commonHeaders: { from: ['hello@sender.example.com'], subject: 'Your code' },
  };
  if (kind === 0) return JSON.stringify({ eventType: 'Delivery', mail, delivery: { timestamp } });
  if (kind === 1)
    return JSON.stringify({ eventType: 'Open', mail, open: { timestamp, ipAddress: '192.0.2.1' } });
  return JSON.stringify({ eventType: 'Click', mail, click: { timestamp, link: 'https://example.com/1' } });
}

/** Signed notifications: a delivery, an open and a click of every email, one kind after the other for all emails. */
function signEvents(emailIds: string[], signer: SnsSigner, certificateUrl: string): string[] {
  return Array.from({ length: eventsPerEmail }, (_, kind) => kind).flatMap((kind) =>
    emailIds.map((emailId) => {
      const message = signer.sign({
        Type: 'Notification',
        MessageId: randomUUID(),
        TopicArn: localTopicArn,
        Message: sesEvent(emailId, kind),
        Timestamp: new Date().toISOString(),
      });
      return JSON.stringify({ ...message, SigningCertURL: certificateUrl });
    }),
  );
}

async function insertEmails({ orm, project }: BenchStack): Promise<string[]> {
  const ids = Array.from({ length: emails }, () => uuidv7());
  await sql(orm.em.fork(), insertEmailsSql, [project.id, ids]);
  return ids;
}

/** Signature checks per second on one otherwise idle core. */
function measureVerification(signer: SnsSigner): number {
  const message = signer.sign({
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: localTopicArn,
    Message: sesEvent(randomUUID(), 0),
    Timestamp: new Date().toISOString(),
  });
  const { publicKey } = new X509Certificate(signer.certificatePem);
  const text = Buffer.from(stringToSign(message));
  const signature = Buffer.from(message.Signature, 'base64');
  const startedAt = performance.now();
  let checks = 0;
  while (performance.now() - startedAt < 1_500) {
    if (!verify('sha256', text, publicKey, signature)) throw new Error('A genuine signature was refused');
    checks += 1;
  }
  return checks / ((performance.now() - startedAt) / 1000);
}

export function benchEvents({ report, isQuick }: BenchRun): Promise<void> {
  return withBenchStack(async (stack) => {
    const signer = await createSnsSigner();
    const certificates = createServer((_, response) => response.end(signer.certificatePem));
    const host = `127.0.0.1:${await listen(certificates)}`;
    try {
      const emailIds = await insertEmails(stack);
      const bodies = signEvents(emailIds, signer, `http://${host}/${signer.certificateId}.pem`);
      const verification = measureVerification(signer);
      const path = '/webhooks/sns';
      const headers = { 'x-amz-sns-message-type': 'Notification' };

      let next = 0;
      const again = () => bodies[next++ % bodies.length];
      const bare = await stack.startApi({ SNS_LOCAL_HOST: host }, 'bench/bare-api.ts');
      const bareTarget = { port: bare.port, path, headers };
      const route = requireStatus(
        await runLoad({ target: bareTarget, nextBody: again, connections, seconds: isQuick ? 2 : 3 }),
        200,
      );
      await bare.stop();

      next = 0;
      const api = await stack.startApi({ SNS_LOCAL_HOST: host });
      const target = { port: api.port, path, headers };
      const cpu = watchCpu({ API: api.pid, Postgres: stack.postgresPid });
      const once = () => bodies[next++];
      const load = requireStatus(
        await runLoad({ target, nextBody: once, connections, seconds: isQuick ? 5 : 20, warmUpSeconds: 1 }),
        200,
      );
      report({
        work: 'applied, signatures checked',
        value: load.ratePerSecond,
        unit: '/s',
        bar: { atLeast: 4_000 },
        limits: [
          { what: 'RSA verification alone, one core', value: verification },
          { what: 'the route without its transaction', value: route.ratePerSecond },
        ],
        note: `${load.total} events; ${presentLatencies(load)}; ${cpu(load.total)}`,
      });
    } finally {
      certificates.close();
    }
  });
}
