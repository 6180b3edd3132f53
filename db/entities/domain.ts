import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { type DomainCheck, domainClaimDays, domainStatuses } from '../../core/domains.ts';
import { createdAt, instant, primaryId } from './columns.ts';
import { Project } from './project.ts';
import { allProjects } from './project-em.ts';

const DomainSchema = defineEntity({
  name: 'Domain',
  tableName: 'domains',
  repository: () => DomainRepository,
  uniques: [
    { name: 'domains_project_domain', properties: ['projectId', 'domain'] },
    { name: 'domains_verified', properties: ['domain'], where: "status = 'verified'" },
  ],
  indexes: [{ name: 'domains_domain', properties: ['domain'] }],
  properties: {
    id: primaryId(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').deleteRule('cascade').index(),
    domain: p.text(),
    status: p.enum(domainStatuses).default('pending'),
    dkimTokens: p.type('text[]').$type<string[]>().default([]),
    foundRecords: p.type('text[]').$type<string[]>().default([]),
    /** Values that DNS has instead of records that were not found, by key of the record. */
    otherValues: p.json().$type<Record<string, string[]>>().defaultRaw(`'{}'`),
    /** False for a domain verified before the TXT record was required, until it becomes pending again. */
    needsProof: p.boolean().default(true),
    checkedAt: instant().nullable(),
    verifiedAt: instant().nullable(),
    createdAt: createdAt(),
    updatedAt: instant().defaultRaw('now()'),
  },
});

/** A project's sender domain. Several projects may add the same name; at most one is verified. */
export class Domain extends DomainSchema.class {
  /**
   * Records the result of a check. A domain with valid records stays pending while another project has it verified.
   *
   * @returns whether the status changed
   */
  recordCheck({ verified, found, others, dkimTokens }: DomainCheck, isVerifiedElsewhere: boolean): boolean {
    const now = new Date();
    const before = this.status;
    const isUnchanged = isSame(found, this.foundRecords) && isSame(dkimTokens, this.dkimTokens);
    this.status = verified && !isVerifiedElsewhere ? 'verified' : 'pending';
    this.foundRecords = found;
    this.otherValues = others;
    this.dkimTokens = dkimTokens;
    this.checkedAt = now;
    if (this.status === 'pending') this.needsProof = true;
    else this.verifiedAt ??= now;
    if (this.status !== before || !isUnchanged) this.updatedAt = now;
    return this.status !== before;
  }

  isExpired(): boolean {
    const ageMs = Date.now() - this.createdAt.getTime();
    return (
      this.status === 'pending' && this.verifiedAt == null && ageMs > domainClaimDays * 24 * 60 * 60 * 1000
    );
  }
}
DomainSchema.setClass(Domain);

/** A removed domain whose identity may still exist at the provider. */
export const DomainRemoval = defineEntity({
  name: 'DomainRemoval',
  tableName: 'domain_removals',
  properties: { id: primaryId(), projectId: p.uuid().index(), domain: p.text(), createdAt: createdAt() },
});

export type DomainRemoval = InferEntity<typeof DomainRemoval>;

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one, index) => one === others[index]);

export class DomainRepository extends EntityRepository<Domain> {
  listAll(): Promise<Domain[]> {
    return this.find({}, { orderBy: { id: 'asc' } });
  }

  /**
   * Another project's domain of the same name that takes precedence: a verified one, else the oldest that has not
   * been checked yet.
   */
  findEarlierClaim(projectId: string, domain: string): Promise<Domain | null> {
    return this.findOne(
      { domain, projectId: { $ne: projectId }, $or: [{ status: 'verified' }, { checkedAt: null }] },
      { ...allProjects, orderBy: { status: 'desc', id: 'asc' } },
    );
  }

  async isClaimed(domain: string): Promise<boolean> {
    return (await this.count({ domain }, allProjects)) > 0;
  }

  async isVerifiedElsewhere({ id, domain }: Domain): Promise<boolean> {
    return (await this.count({ domain, id: { $ne: id }, status: 'verified' }, allProjects)) > 0;
  }
}
