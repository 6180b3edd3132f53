import { once } from 'node:events';
import { type DnsHandler, Packet, type Resource, TCPServer, UDPServer } from 'dns2';
import { listen } from '../../local/testing/listen.ts';

export interface TestRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'TXT';
  name: string;
  // MX: the host, empty for a null MX; TXT: its strings.
  value: string | string[];
}

export interface DnsServer {
  address: string;
  records: TestRecord[];
  /** `silent` never answers, `drop-first` drops the first packet of each question, `broken` answers SERVFAIL. */
  behavior: 'answering' | 'silent' | 'drop-first' | 'broken' | 'refusing';
  refused: Set<string>;
  questions: string[];
  close(): Promise<void>;
}

const typeNames = new Map<number, string>(Object.entries(Packet.TYPE).map(([name, code]) => [code, name]));
const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function toResource({ type, name, value }: TestRecord): Resource {
  const [first = '', ...rest] = [value].flat();
  const resource = new Packet.Resource(name, Packet.TYPE[type], Packet.CLASS.IN, 60);
  switch (type) {
    case 'A':
    case 'AAAA':
      return Object.assign(resource, { address: first });
    case 'NS':
      return Object.assign(resource, { ns: first });
    case 'CNAME':
      return Object.assign(resource, { domain: first });
    case 'MX':
      return Object.assign(resource, { exchange: first, priority: first === '' ? 0 : 10 });
    case 'TXT':
      return Object.assign(resource, { data: [first, ...rest] });
  }
}

export async function startDnsServer(records: TestRecord[] = []): Promise<DnsServer> {
  const server: DnsServer = {
    address: '',
    records,
    behavior: 'answering',
    refused: new Set(),
    questions: [],
    close,
  };
  const dropped = new Set<string>();

  const handle: DnsHandler = (request, send) => {
    const [question] = request.questions;
    if (question === undefined) return;
    const type = typeNames.get(question.type) ?? '';
    const key = `${type} ${question.name.toLowerCase()}`;
    server.questions.push(key);
    if (server.behavior === 'silent') return;
    if (server.behavior === 'drop-first' && !dropped.has(key)) {
      dropped.add(key);
      return;
    }
    const response = Packet.createResponseFromRequest(request);
    const named = server.records.filter((record) => sameName(record.name, question.name));
    if (server.behavior === 'broken') response.header.rcode = Packet.RCODE.SERVFAIL;
    else if (server.behavior === 'refusing' || server.refused.has(key))
      response.header.rcode = Packet.RCODE.REFUSED;
    else if (named.length === 0) response.header.rcode = Packet.RCODE.NXDOMAIN;
    else response.answers = named.filter((record) => record.type === type).map(toResource);
    void send(response);
  };

  const tcp = new TCPServer(handle);
  const port = await listen(tcp);
  const udp = new UDPServer(handle);
  await udp.listen(port, '127.0.0.1');
  server.address = `127.0.0.1:${port}`;

  async function close(): Promise<void> {
    const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    udp.close();
    tcp.close();
    await closed;
  }
  return server;
}
