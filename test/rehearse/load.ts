import { successOf } from '../setup/answer.ts';
import { insertContacts } from '../setup/campaigns.ts';
import type { CountingSink } from '../setup/counting-sink.ts';
import { createTestSender, type TestSender } from '../setup/sender.ts';
import { createTemplate } from '../setup/templates.ts';
import { upload } from '../setup/upload.ts';
import { askUntilAnswered, repeat } from './clients.ts';
import { addressOf, Book, type Ledger } from './ledger.ts';
import type { Stage } from './stage.ts';

export interface LoadSize {
  seconds: number;
  recipients: number;
  executions: number;
  emailsPerSecond: number;
  eventsPerSecond: number;
  /** Rows per file; one file is imported every `importEverySeconds`. */
  importRows: number;
  importEverySeconds: number;
}

interface Senders {
  news: TestSender;
  shop: TestSender;
}

export interface Load {
  readonly ledger: Ledger;
  /** Runs until `isOver` returns true and every request was answered. */
  run(isOver: () => boolean): Promise<void>;
}

/** Creates the projects and prepares what they send, before the first fault. */
export async function prepareLoad(stage: Stage, size: LoadSize, sink: CountingSink): Promise<Load> {
  const senders = { news: await createTestSender(stage.apiUrl), shop: await createTestSender(stage.apiUrl) };
  await insertContacts(stage.em(), senders.news.projectId, size.recipients);
  const workflowId = await createWorkflow(senders.shop, sink.url);
  const ledger: Ledger = {
    campaign: { id: await createCampaign(senders.news), recipients: size.recipients },
    workflowId,
    senders: [senders.news, senders.shop],
    emails: new Book(),
    events: new Book(),
    signups: new Book(),
    imports: new Map(),
    importProjectId: senders.shop.projectId,
  };
  return { ledger, run: (isOver) => runLoad(stage, size, senders, ledger, isOver) };
}

async function createCampaign(sender: TestSender): Promise<string> {
  const created = await successOf(
    sender.post('/campaigns', {
      name: 'News',
      subject: 'News for {{ n }}',
      body: '<p>Hello {{ n }}</p>',
      from: `news@${sender.domain}`,
      audienceType: 'ALL',
    }),
  );
  return created.data.id;
}

/** A workflow of five steps: an email, a pause, a webhook call and a contact update. */
async function createWorkflow(sender: TestSender, sinkUrl: string): Promise<string> {
  const templateId = await createTemplate(sender);
  const { id, steps } = await successOf(sender.post('/workflows', { name: 'Welcome', eventName: 'signup' }));
  let previous = steps[0].id;
  for (const step of [
    { name: 'mail', type: 'SEND_EMAIL', config: { templateId } },
    { name: 'nap', type: 'DELAY', config: { amount: 0.05, unit: 'minutes' } },
    { name: 'hook', type: 'WEBHOOK', config: { url: sinkUrl, body: '{"n":{{ data.n }}}' } },
    { name: 'mark', type: 'UPDATE_CONTACT', config: { data: { welcomed: true } } },
    { name: 'kept', type: 'EXIT', config: { reason: 'kept' } },
  ]) {
    const added = await successOf(sender.post(`/workflows/${id}/steps`, { ...step, autoConnect: previous }));
    previous = added.id;
  }
  await successOf(sender.patch(`/workflows/${id}`, { enabled: true }));
  return id;
}

async function runLoad(
  stage: Stage,
  size: LoadSize,
  { news, shop }: Senders,
  ledger: Ledger,
  isOver: () => boolean,
): Promise<void> {
  async function keyed(book: Book, path: string, key: string, body: object, n: number): Promise<void> {
    const headers = { 'Idempotency-Key': key };
    const { verdict } = await askUntilAnswered(() => shop.post(path, body, headers));
    (verdict === 'accepted' ? book.accepted : book.inDoubt).add(n);
  }
  const send = (n: number) => {
    const email = {
      to: addressOf.email(n),
      from: `hello@${shop.domain}`,
      subject: `Order ${n}`,
      body: '<p>Thank you</p>',
    };
    return keyed(ledger.emails, '/v1/send', `email ${n}`, email, n);
  };
  const track = (n: number) => {
    const event = { event: 'ordered', email: `buyer-${n % 200}@shop.example.com`, data: { order: n } };
    return keyed(ledger.events, '/v1/track', `event ${n}`, event, n);
  };
  const signUp = (n: number) => {
    const event = { event: 'signup', email: addressOf.signup(n), data: { n } };
    return keyed(ledger.signups, '/v1/track', `signup ${n}`, event, n);
  };
  async function importFile(file: number): Promise<void> {
    const rows = Array.from(
      { length: size.importRows },
      (_, row) => `${addressOf.importRow(file, row)},${file}`,
    );
    const csv = ['email,file', ...rows].join('\n');
    const url = `${stage.apiUrl}/contacts/import`;
    const { answer } = await askUntilAnswered(() => upload(url, shop.secretKey, csv));
    ledger.imports.set(file, { jobId: answer.body.jobId, rows: size.importRows });
  }
  await successOf(news.post(`/campaigns/${ledger.campaign.id}/send`, {}));
  // Sign-ups end early, so that faults also hit the last executions.
  const signUpsPerSecond = size.executions / (size.seconds * 0.7);
  await Promise.all([
    repeat(size.emailsPerSecond, isOver, send),
    repeat(size.eventsPerSecond, isOver, track),
    repeat(signUpsPerSecond, (n) => n >= size.executions, signUp),
    repeat(1 / size.importEverySeconds, isOver, importFile),
  ]);
}
