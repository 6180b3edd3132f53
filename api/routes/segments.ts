import { z } from 'zod';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { contactSchema } from '../schemas/contacts.ts';
import { ifMatchHeadersSchema } from '../schemas/if-match.ts';
import * as schemas from '../schemas/segments.ts';

const exampleCondition = {
  logic: 'AND',
  groups: [
    {
      filters: [
        { field: 'data.plan', operator: 'equals', value: 'pro' },
        { field: 'event.order placed', operator: 'triggeredWithin', value: 30, unit: 'days' },
      ],
    },
  ],
};

const segmentExample = {
  id: '0190a1b2-0000-7000-8000-000000000000',
  name: 'Active customers',
  slug: 'active-customers',
  description: 'On the pro plan, with an order in the last 30 days',
  type: 'DYNAMIC',
  condition: exampleCondition,
  trackMembership: true,
  memberCount: 1280,
  projectId: '0190a1b2-0000-7000-8000-000000000001',
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
};

const conditionRules = `A condition is \`{ logic: AND or OR, groups: [{ filters: [{ field, operator, value, unit? }], conditions? }] }\`: at most 10
levels and 100 filters. A filter on \`segment.<id>\` (\`memberOfSegment\`, \`notMemberOfSegment\`) refers to another segment of
the project; references may form chains of at most 10 segments and no cycles, and at most 500 filters once
expanded.

A filter on \`campaign.<id>\` asks what became of a campaign of the project: \`sent\` (handed over to the provider), \`opened\`
(a click counts as an open) or \`clicked\`. \`notSent\`, \`notOpened\` and \`notClicked\` also match contacts that never got it, so
the people to ask again match \`sent\` and \`notOpened\`. Some mail programs block the report of an open.

\`randomGroup\` is a number from 0 to 99 that belongs to the id of the contact: \`lessThan\` 10 matches a tenth of the contacts,
\`greaterThanOrEqual\` 10 all others. Both are the same contacts each time, such as to compare two subjects of a campaign.

Dates are compared by their instant: \`2026-01-31\` (midnight UTC; \`equals\` compares the UTC day) and date-times with an
offset, \`2026-01-31T09:00:00Z\` or \`2026-01-31T10:00:00.000+01:00\`, in values and in \`data\` alike.`;

export const listSegments = defineRoute('GET /segments', {
  summary: 'List all segments, newest first',
  responses: ok('The segments.', z.object({ data: z.array(schemas.segmentSchema) }), {
    data: [segmentExample],
  }),
  async handler(ctx, { project }) {
    const segments = await ctx.services.segments.list(project.id);
    ctx.body = { data: segments.map((segment) => present(schemas.segmentSchema, segment)) };
  },
});

export const createSegment = defineRoute('POST /segments', {
  summary: 'Create a segment',
  description: `${conditionRules}

The slug is derived from the name; if the project already uses it, the last 8 characters of the id are appended. With
\`trackMembership\`, the first computation of a dynamic segment emits an entry event for everyone who belongs to it.

A project has at most 2,000 segments, whose conditions take at most 4 MB in all.`,
  legacyErrors: true,
  place: 'byService',
  body: schemas.createSegmentBodySchema,
  bodyExample: {
    name: segmentExample.name,
    description: segmentExample.description,
    condition: exampleCondition,
    trackMembership: true,
  },
  idempotent: 'byPath',
  responses: created('The segment, with its members counted.', schemas.segmentSchema, segmentExample),
  errors: ['CONFLICT'],
  async handler(ctx, { project, body }) {
    ctx.body = present(schemas.segmentSchema, await ctx.services.segments.create(project.id, body));
  },
});

export const previewSegment = defineRoute('POST /segments/preview', {
  summary: 'Count who meets a condition',
  description:
    'Nothing is stored. Conditions are refused as for a new segment, with the path of each fault in `errors`.',
  body: schemas.previewSegmentBodySchema,
  bodyExample: { condition: exampleCondition },
  responses: ok('As of now.', schemas.segmentPreviewSchema),
  place: 'elsewhere',
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, body }) {
    const { count, sample } = await ctx.services.segmentMembers.preview(project.id, body.condition);
    ctx.body = { count, sample: sample.map((contact) => present(contactSchema, contact)) };
  },
});

export const getSegment = defineRoute('GET /segments/:id', {
  summary: 'Get a segment',
  responses: ok('The segment.', schemas.segmentSchema, segmentExample),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = present(schemas.segmentSchema, await ctx.services.segments.get(project.id, params.id));
  },
});

export const patchSegment = defineRoute('PATCH /segments/:id', {
  summary: 'Update a segment',
  description: `Only the fields sent change; a new condition is counted. The slug stays, and the type cannot change. A condition on a
STATIC segment is refused, except \`null\`.

After a change of the condition, the next computation of a tracked segment emits the differences. While a campaign that just
starts collects its recipients by the condition, also through other segments, a change of it is refused with 409;
\`details.campaigns\` lists the campaign. Turning
\`trackMembership\` off discards the recorded members of a dynamic segment: when it is turned on again, every member enters.
It is refused with 409 while workflows start with the entry or exit of the segment, wait for it or ask for it;
\`details.workflows\` lists them. While executions under way do so in an earlier version of their workflow, it is refused, too:
\`details.workflowVersions\` lists those.`,
  headers: ifMatchHeadersSchema,
  place: 'byService',
  body: schemas.patchSegmentBodySchema,
  bodyExample: { name: 'Best customers', trackMembership: true },
  responses: ok('The segment after the change.', schemas.segmentSchema, segmentExample),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler(ctx, { project, body, params, headers }) {
    const segment = await ctx.services.segments.patch(project.id, params.id, body, headers['if-match']);
    ctx.body = present(schemas.segmentSchema, segment);
  },
});

export const deleteSegment = defineRoute('DELETE /segments/:id', {
  summary: 'Delete a segment',
  description:
    '409 while something refers to it; `details` lists the references by kind: `segments`, `campaigns`, `workflows`, those ' +
    'that start with its entry or exit event or wait for it included. Executions ' +
    'under way keep the version of the workflow that they started with: a segment used only by those is refused, too, and ' +
    '`details.workflowVersions` lists them.',
  responses: { 204: { description: 'Deleted.' } },
  place: 'elsewhere',
  errors: ['NOT_FOUND', 'CONFLICT'],
  handler: (ctx, { project, params }) => ctx.services.segments.remove(project.id, params.id),
});

export const refreshSegment = defineRoute('POST /segments/:id/refresh', {
  summary: 'Count the members of a segment',
  description: 'Updates the count only: emits no events and does not change membership.',
  responses: ok('The count.', schemas.memberCountSchema, { memberCount: 1280 }),
  place: 'elsewhere',
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = await ctx.services.segments.refresh(project.id, params.id);
  },
});
