import { type ContractLine, withBody } from '../line.ts';

const previewOf = (kind: 'templates' | 'campaigns'): ContractLine => ({
  line: `POST /${kind}/preview`,
  key: 'sk',
  success: 200,
  answer: ['subject', 'html', 'text', 'sizeBytes', 'headers', 'problems'],
  valid: async (world) => ({
    body: {
      subject: 'Hello',
      body: '<p>Hello {{ name }}</p>',
      type: 'MARKETING',
      from: world.from,
      contactId: await world.contact(),
      data: { name: 'Ada' },
    },
  }),
  required: ['subject', 'body'],
  bodyIds: { contactId: (theirs) => theirs.contact() },
  refusals: [
    { when: 'the type is invalid', status: 422, change: withBody({ type: 'NEWS' }) },
    { when: 'the subject has two lines', status: 422, change: withBody({ subject: 'a\nb' }) },
    { when: 'the sender is not an email address', status: 422, change: withBody({ from: 'nobody' }) },
  ],
});

export const emailPreviewLines: readonly ContractLine[] = [previewOf('templates'), previewOf('campaigns')];
