export const searchAttributeNames = [
  'ProjectId',
  'CampaignId',
  'WorkflowDefinitionId',
  'ContactId',
  'JobKind',
] as const;

export type JobKind =
  | 'campaign'
  | 'campaign-batch'
  | 'email-batch'
  | 'domain-verification'
  | 'event-deletion'
  | 'project-erasure'
  | 'billing-end'
  | 'inbound-email'
  | 'sweep'
  | 'segments'
  | 'contact-import'
  | 'contact-snooze'
  | 'contact-bulk'
  | 'workflow-execution';

type Name = (typeof searchAttributeNames)[number];

export type SearchAttributes = { JobKind: JobKind } & {
  [Attribute in Exclude<Name, 'JobKind'>]?: string | null;
};

export function searchAttributes(
  values: SearchAttributes,
): { key: { name: Name; type: 'KEYWORD' }; value: string }[] {
  return searchAttributeNames.flatMap((name) => {
    const value = values[name];
    return value === undefined || value === null ? [] : [{ key: { name, type: 'KEYWORD' }, value }];
  });
}
