import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';
import { Project } from './project.ts';

export type DomainStatus = 'pending' | 'verified';

/** A sender domain; belongs to one project only. */
export const Domain = defineEntity({
  name: 'Domain',
  tableName: 'domains',
  properties: {
    id: primaryId(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').deleteRule('cascade').index(),
    domain: p.text().unique(),
    status: p.text().$type<DomainStatus>().default('pending').check(`status in ('pending', 'verified')`),
    dkimTokens: p.type('text[]').$type<string[]>().default([]),
    /** Which of the wanted DNS records the last check saw, by `type name`. */
    foundRecords: p.type('text[]').$type<string[]>().default([]),
    checkedAt: instant().nullable(),
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
