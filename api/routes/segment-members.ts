import { z } from 'zod';
import { answerCsv, csvFile } from '../edge/answer-csv.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { presentLargePage } from '../presenters/page.ts';
import { present } from '../presenters/present.ts';
import { contactSchema } from '../schemas/contacts.ts';
import { deepPages, largePageQuerySchema } from '../schemas/pagination.ts';
import * as schemas from '../schemas/segments.ts';

export const listSegmentContacts = defineRoute('GET /segments/:id/contacts', {
  summary: 'List the members of a segment',
  description: `The members right now, newest contact first. \`total\` is counted with the page; in a project of more than 50,000 contacts it
is the last \`memberCount\`, unless the page shows where the members end, or a static segment has fewer.

${deepPages}`,
  query: largePageQuerySchema,
  responses: ok('A page of contacts.', schemas.segmentContactsSchema),
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, query, params }) {
    const members = await ctx.services.segmentMembers.list(project.id, params.id, query);
    const data = members.rows.map((contact) => present(contactSchema, contact));
    ctx.body = presentLargePage(data, members, query);
  },
});

export const exportSegment = defineRoute('GET /segments/:id/export', {
  summary: 'Export the members of a segment as a CSV file',
  description: 'The members right now, newest contact first, in the form of `GET /contacts/export`.',
  responses: csvFile,
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    await answerCsv(ctx, project.id, async () => ({
      name: 'contacts.csv',
      file: await ctx.services.contactExport.startOfSegment(project.id, params.id),
    }));
  },
});

export const listSegmentsOfContact = defineRoute('GET /contacts/:id/segments', {
  summary: 'List the segments that a contact is in',
  description: 'Right now, newest segment first. Dynamic segments are decided by their conditions.',
  responses: ok('The segments.', z.object({ data: z.array(schemas.segmentOfContactSchema) })),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const segments = await ctx.services.segmentMembers.ofContact(project.id, params.id);
    ctx.body = { data: segments.map((segment) => present(schemas.segmentOfContactSchema, segment)) };
  },
});

export const addSegmentMembers = defineRoute('POST /segments/:id/members', {
  summary: 'Add contacts to a static segment',
  description: `1 to 500 addresses. With \`createMissing\`, a contact is created for each unknown address; existing contacts keep their subscription.
A tracked segment emits an entry event for each new member.`,
  body: schemas.addMembersBodySchema,
  bodyExample: { emails: ['ada@example.com', 'grace@example.com'], createMissing: true, subscribed: true },
  responses: ok('What was done.', schemas.addedMembersSchema, { added: 2, created: 1, notFound: [] }),
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, body, params }) {
    ctx.body = await ctx.services.segmentMembers.add(project.id, params.id, body);
  },
});

export const removeSegmentMembers = defineRoute('DELETE /segments/:id/members', {
  summary: 'Remove contacts from a static segment',
  description:
    '1 to 500 addresses. A tracked segment emits an exit event for each contact that was a member.',
  body: schemas.removeMembersBodySchema,
  bodyExample: { emails: ['ada@example.com', 'nobody@example.com'] },
  responses: ok('What was done.', schemas.removedMembersSchema, {
    removed: 1,
    notFound: ['nobody@example.com'],
  }),
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, body, params }) {
    ctx.body = await ctx.services.segmentMembers.remove(project.id, params.id, body.emails);
  },
});

export const computeSegment = defineRoute('POST /segments/:id/compute', {
  summary: 'Recompute the membership of a tracked dynamic segment',
  description: `Compares the current members with those recorded as entered, and emits \`segment.<slug>.entry\` and \`segment.<slug>.exit\`
for each difference, exactly once, even if several computations run concurrently. Deleted contacts leave without an
event. This also runs automatically every few minutes.`,
  responses: ok('What has changed.', schemas.computationSchema, { added: 12, removed: 3, total: 1280 }),
  place: 'elsewhere',
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, params }) {
    ctx.body = await ctx.services.segmentMembers.compute(project.id, params.id);
  },
});
