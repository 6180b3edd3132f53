export const hasSendLimitSql = (project: string) =>
  `exists (select from billing_limits l where l.project_id = ${project} and l.category = 'transactional')`;
