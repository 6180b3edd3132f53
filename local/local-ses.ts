import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildOptions } from './child-process.ts';
import { startOwnProgram } from './own-program.ts';

export interface LocalSesOptions extends ChildOptions {
  dataDirectory: string;
  port: number;
  smtpPort: number;
  webhookUrl: string;
  topicArn: string;
}

/**
 * Runs the local SES and its inbox in a separate process, so that the provider's work does not block the product's
 * event loop.
 * @throws LocalStackError when it does not start
 */
export async function startLocalSesProcess(options: LocalSesOptions) {
  const { dataDirectory, port, smtpPort, webhookUrl, topicArn, ...child } = options;
  mkdirSync(dataDirectory, { recursive: true });
  const running = await startOwnProgram({
    ...child,
    name: 'The local SES',
    script: new URL('./ses/main.ts', import.meta.url),
    ports: { INBOX_PORT: port, INBOUND_SMTP_PORT: smtpPort },
    environment: {
      DATA_DIR: dataDirectory,
      INBOX_PORT: String(port),
      INBOUND_SMTP_PORT: String(smtpPort),
      SNS_WEBHOOK_URL: webhookUrl,
      SNS_TOPIC_ARN: topicArn,
    },
    readyLine: 'local SES ready',
    pidFile: join(dataDirectory, 'ses.pid.json'),
  });
  return { ...running, url: `http://127.0.0.1:${port}` };
}
