import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { defaultTopicArn, startLocalSes } from './server.ts';

const parsed = z
  .object({
    /** Shared with the rest of the local stack; this process uses only its folder `ses`. */
    DATA_DIR: z.string().min(1).default('.data'),
    INBOX_PORT: z.coerce.number().int().min(0).max(65_535).default(8025),
    INBOUND_SMTP_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
    INBOX_HOST: z.string().min(1).default('127.0.0.1'),
    INBOX_URL: z.url({ protocol: /^https?$/ }).optional(),
    SNS_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
    SNS_TOPIC_ARN: z.string().min(1).default(defaultTopicArn),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
  })
  .safeParse(Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')));
if (!parsed.success) {
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  fail(`The environment of the local SES is not valid:\n${faults.join('\n')}`);
}
const environment = parsed.data;

const ses = await startLocalSes({
  port: environment.INBOX_PORT,
  host: environment.INBOX_HOST,
  smtpPort: environment.INBOUND_SMTP_PORT,
  publicUrl: environment.INBOX_URL?.replace(/\/+$/, ''),
  dataDir: join(environment.DATA_DIR, 'ses'),
  webhookUrl: environment.SNS_WEBHOOK_URL,
  topicArn: environment.SNS_TOPIC_ARN,
  logger: pino({ level: environment.LOG_LEVEL }, pino.destination(2)),
}).catch((error: NodeJS.ErrnoException & { port?: number }) => {
  if (error.code !== 'EADDRINUSE') throw error;
  const name = error.port === environment.INBOX_PORT ? 'INBOX_PORT' : 'INBOUND_SMTP_PORT';
  return fail(`Port ${error.port} is taken. Set ${name} to a free one.`);
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

let isStopping = false;
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  ses.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

process.on('SIGTERM', stop);
process.on('SIGINT', stop);

process.stdout.write(`local SES ready on ${ses.url}\n`);
