import type { MessageRecord } from './records.ts';

export function writtenHeaders(message: MessageRecord): { name: string; value: string }[] {
  const lists: [string, string[]][] = [
    ['To', message.to],
    ['Cc', message.cc],
    ['Reply-To', message.replyTo],
  ];
  return [
    { name: 'From', value: message.from },
    ...lists
      .filter(([, addresses]) => addresses.length > 0)
      .map(([name, addresses]) => ({ name, value: addresses.join(', ') })),
    { name: 'Subject', value: message.subject },
    { name: 'Date', value: new Date(message.at).toUTCString() },
    { name: 'Message-ID', value: `<${message.id}@email.amazonses.com>` },
    { name: 'MIME-Version', value: '1.0' },
    ...message.headers.map(([name, value]) => ({ name, value })),
  ];
}
