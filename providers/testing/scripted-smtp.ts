import { createServer, type Socket } from 'node:net';
import { listen } from '../../local/testing/listen.ts';

export type SmtpStage = 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'midMessage' | 'message';

export type SmtpAction = string | 'close' | 'silence';

// Per stage, one action per visit; the last one repeats.
export type SmtpScript = Partial<Record<SmtpStage, readonly SmtpAction[]>>;

export interface ScriptedSmtp {
  url: string;
  messages: string[];
  readonly connections: number;
  close(): Promise<void>;
}

const ordinary: Record<SmtpStage, SmtpAction> = {
  greeting: '220 test ESMTP',
  EHLO: '250 test',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  midMessage: 'silence',
  message: '250 ok',
};

class Conversation {
  #received = '';
  #isInMessage = false;
  #hasRecipient = false;
  readonly #act: (stage: SmtpStage) => SmtpAction;
  readonly #onMessage: (text: string) => void;

  constructor(act: (stage: SmtpStage) => SmtpAction, onMessage: (text: string) => void) {
    this.#act = act;
    this.#onMessage = onMessage;
  }

  take(chunk: Buffer, reply: (text: string) => void): void {
    this.#received += chunk.toString('latin1');
    for (;;) {
      const mark = this.#isInMessage ? '\r\n.\r\n' : '\r\n';
      const end = this.#received.indexOf(mark);
      if (end < 0) break;
      const text = this.#received.slice(0, end);
      this.#received = this.#received.slice(end + mark.length);
      if (this.#isInMessage) this.#takeMessage(text);
      else this.#takeCommand(text, reply);
    }
    if (this.#isInMessage && this.#received.length > 2) this.#act('midMessage');
  }

  #takeMessage(text: string): void {
    this.#isInMessage = false;
    this.#onMessage(text);
    this.#act('message');
  }

  #takeCommand(text: string, reply: (text: string) => void): void {
    const command = text.split(/[\s:]/)[0]?.toUpperCase();
    if (command === 'EHLO' || command === 'MAIL') {
      this.#act(command);
    } else if (command === 'RCPT') {
      this.#hasRecipient = this.#act('RCPT').startsWith('2');
    } else if (command === 'DATA' && this.#hasRecipient) {
      this.#isInMessage = this.#act('DATA').startsWith('354');
      // An empty message is a dot right after the command.
      if (this.#isInMessage) this.#received = `\r\n${this.#received}`;
    } else {
      reply(command === 'RSET' || command === 'QUIT' ? '250 ok' : '503 no');
    }
  }
}

/**
 * A bare SMTP server that follows a script, for behavior that proper servers lack: dying midway, keeping silent,
 * refusing EHLO.
 */
export async function startScriptedSmtp(script: SmtpScript): Promise<ScriptedSmtp> {
  const visits = new Map<SmtpStage, number>();
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  function act(stage: SmtpStage, socket: Socket): SmtpAction {
    const visit = visits.get(stage) ?? 0;
    visits.set(stage, visit + 1);
    const action = script[stage]?.[visit] ?? script[stage]?.at(-1) ?? ordinary[stage];
    if (action === 'close') socket.destroy();
    else if (action !== 'silence') socket.write(`${action}\r\n`);
    return action;
  }

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const conversation = new Conversation(
      (stage) => act(stage, socket),
      (text) => messages.push(text),
    );
    socket.on('data', (chunk) => conversation.take(chunk, (text) => socket.write(`${text}\r\n`)));
    act('greeting', socket);
  });
  const port = await listen(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
