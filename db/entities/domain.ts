import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';
import { Project } from './project.ts';

export type DomainStatus = 'pending' | 'verified';

/** A sender domain that a project has added; of those of one name at most one is verified. */
export const Domain = defineEntity({
  name: 'Domain',
  tableName: 'domains',
  uniques: [{ name: 'domains_project_domain', properties: ['projectId', 'domain'] }],
  indexes: [
    { name: 'domains_domain', properties: ['domain'] },
    {
      name: 'domains_verified',
      expression: `create unique index domains_verified on domains (domain) where status = 'verified'`,
    },
  ],
  properties: {
    id: primaryId(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').deleteRule('cascade').index(),
    domain: p.text(),
    status: p.text().$type<DomainStatus>().default('pending').check(`status in ('pending', 'verified')`),
    dkimTokens: p.type('text[]').$type<string[]>().default([]),
    /** Which of the wanted DNS records the last check saw, by `type name`. */
    foundRecords: p.type('text[]').$type<string[]>().default([]),
    /** False for one that was verified before its TXT record was asked for, until it is pending again. */
    needsProof: p.boolean().default(true),
    checkedAt: instant().nullable(),
    /** When it was first verified; one that never was expires. */
    verifiedAt: instant().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A domain that was removed, whose identity may still be at the provider. */
export const DomainRemoval = defineEntity({
  name: 'DomainRemoval',
  tableName: 'domain_removals',
  properties: {
    /** That of the domain. */
    id: primaryId(),
    projectId: p.uuid().index(),
    domain: p.text(),
    createdAt: createdAt(),
  },
});

export type DomainRow = InferEntity<typeof Domain>;
