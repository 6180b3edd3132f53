import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * A keep-alive HTTP connection with one request at a time. Supports just enough HTTP for our API's responses
 * (`Content-Length`, no chunks): a real client would take a third of the machine from the server.
 */
export interface HttpConnection {
  /** ASCII only; the response arrives in `onAnswer`. */
  send(request: string): void;
  onAnswer: (status: number) => void;
  close(): void;
}

const endOfHead = '\r\n\r\n';
const lengthName = 'Content-Length: ';

function answerLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(endOfHead);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const at = head.indexOf(lengthName);
  if (at === -1) throw new Error(`A response without ${lengthName}\n${head}`);
  const total = end + endOfHead.length + Number.parseInt(head.slice(at + lengthName.length), 10);
  return bytes.length < total ? undefined : total;
}

export async function openConnection(port: number): Promise<HttpConnection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let pending: Buffer | undefined;
  const connection: HttpConnection = {
    send: (request) => void socket.write(request, 'latin1'),
    onAnswer: () => undefined,
    close: () => socket.destroy(),
  };
  socket.on('data', (chunk: Buffer) => {
    const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
    pending = answerLength(bytes) === undefined ? bytes : undefined;
    // The status is the second word of the first line: `HTTP/1.1 200 OK`.
    if (pending === undefined) connection.onAnswer(Number.parseInt(bytes.toString('latin1', 9, 12), 10));
  });
  socket.on('error', (error) => {
    throw new Error('A connection of the load generator broke', { cause: error });
  });
  return connection;
}
