import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { framedHtml } from '../../ui/framed-html.ts';
import { quantity } from '../../ui/numbers.ts';
import { SandboxedFrame } from '../../ui/sandboxed-frame.tsx';
import { Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';

type Body = NonNullable<Schema<'EmailDetail'>['body']>;
type TabId = 'html' | 'text' | 'headers' | 'attachments';

export function EmailContent({ email: { body } }: { email: Schema<'EmailDetail'> }) {
  const [tab, setTab] = useState<TabId>('html');
  if (body === null) {
    return (
      <p className="text-muted">
        The content has expired, went with the contact, or can’t be rendered. The email’s history stays
        available.
      </p>
    );
  }
  const tabs: { id: TabId; label: string; content: React.ReactNode }[] = [
    {
      id: 'html',
      label: 'Preview',
      content: <HtmlPart html={body.html} />,
    },
    { id: 'text', label: 'Text', content: <TextPart label="The text part" text={body.text} /> },
    { id: 'headers', label: 'Headers', content: <Headers headers={body.headers} /> },
  ];
  if (body.attachments.length > 0) {
    const label = quantity(body.attachments.length, 'attachment');
    tabs.push({ id: 'attachments', label, content: <Attachments body={body} /> });
  }
  return (
    <>
      <p className="text-sm text-muted">
        Rendered with the contact’s current data; the delivered email may differ.
      </p>
      <Tabs label="Content" tabs={tabs} selected={tab} onSelect={setTab} />
    </>
  );
}

export function HtmlPart({ html }: { html: string }) {
  return (
    <SandboxedFrame
      key={html}
      title="The email"
      html={framedHtml(html, { isDark: false })}
      className="h-112 w-full resize-y rounded-lg border border-line bg-white"
    />
  );
}

export function TextPart({ label, text }: { label: string; text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls by keyboard
      tabIndex={0}
      className="max-h-112 overflow-auto rounded-lg border border-line bg-sunken p-4"
    >
      <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">{text}</pre>
    </section>
  );
}

function Headers({ headers }: { headers: Body['headers'] }) {
  const rows = Object.entries(headers);
  if (rows.length === 0) return <p className="text-muted">No headers besides the standard ones.</p>;
  return (
    <Table
      label="Headers"
      rows={rows}
      idOf={([name]) => name}
      columns={[
        { header: 'Header', cell: ([name]) => <span className="whitespace-nowrap">{name}</span> },
        { header: 'Value', cell: ([, value]) => <code className="text-xs break-all">{value}</code> },
      ]}
    />
  );
}

function Attachments({ body }: { body: Body }) {
  return (
    <Table
      label="Attachments"
      rows={body.attachments}
      idOf={({ filename }) => filename}
      columns={[
        { header: 'File', cell: ({ filename }) => filename },
        { header: 'Type', cell: ({ contentType }) => contentType, isSecondary: true },
        {
          header: 'Where',
          cell: ({ disposition }) => (disposition === 'inline' ? 'In the text' : 'Attached'),
        },
        { header: 'Size', align: 'right', cell: ({ size }) => quantity(Math.ceil(size / 1024), 'KB', 'KB') },
      ]}
    />
  );
}
