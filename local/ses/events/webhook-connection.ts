import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { urlToHttpOptions } from 'node:url';

const answerTimeoutMs = 15_000;
const answerLimit = 1024 * 1024;

const statusLine = /^HTTP\/1\.[01] (\d{3})/;
const isFinal = /^HTTP\/1\.0|\r\nconnection: *close *\r\n/i;
const contentLength = /\r\ncontent-length: *(\d+) *\r\n/i;
const isChunked = /\r\ntransfer-encoding: *chunked *\r\n/i;
const endOfHead = '\r\n\r\n';
const endOfChunks = '\r\n0\r\n\r\n';

/**
 * An HTTP/1.1 connection for one request at a time, of whose answer only the status counts. Written by hand because
 * Node's client takes 40 µs of CPU a request and this 15, and every email has two. An answer whose length is not plain
 * lasts until the connection ends.
 */
export class WebhookConnection {
  readonly #socket: Socket;
  #answer = '';
  #status: number | null = null;
  #resolve: ((status: number | null) => void) | null = null;
  #isOpen = true;

  constructor(url: URL, onClose: () => void) {
    const { hostname, port } = urlToHttpOptions(url);
    const host = hostname ?? '';
    const isSecure = url.protocol === 'https:';
    const target = { host, port: Number(port ?? (isSecure ? 443 : 80)), noDelay: true };
    this.#socket = isSecure
      ? connectSecurely({ ...target, servername: isIP(host) === 0 ? host : '' })
      : connect(target);
    this.#socket.setEncoding('latin1').setTimeout(answerTimeoutMs);
    this.#socket.on('data', (text: string) => this.#receive(text));
    this.#socket.on('timeout', () => this.destroy());
    this.#socket.on('end', () => this.destroy());
    // `close` follows and says it all.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#isOpen = false;
      this.#settle();
      onClose();
    });
  }

  /** Whether it may take another request. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @returns the status, null without an answer; never rejects */
  request(text: string): Promise<number | null> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#socket.write(text);
    });
  }

  destroy(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#answer += text;
    const answer = this.#answer;
    // Nobody asked, or this is no HTTP.
    if (this.#resolve === null || answer.length > answerLimit) {
      this.destroy();
      return;
    }
    const end = answer.indexOf(endOfHead);
    if (end === -1) return;
    const head = answer.slice(0, end + 2);
    const status = statusLine.exec(head)?.[1];
    this.#status = status === undefined ? null : Number(status);
    const length = contentLength.exec(head)?.[1];
    const isWhole =
      length === undefined
        ? isChunked.test(head) && answer.endsWith(endOfChunks)
        : answer.length >= end + endOfHead.length + Number(length);
    if (!isWhole) return;
    if (isFinal.test(head)) this.destroy();
    this.#settle();
  }

  #settle(): void {
    const [resolve, status] = [this.#resolve, this.#status];
    this.#answer = '';
    this.#status = null;
    this.#resolve = null;
    resolve?.(status);
  }
}
