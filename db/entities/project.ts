import { defineEntity, type Loaded, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { maxFooterAddressLength } from '../../core/email-brand.ts';
import { maxLogoUrlLength } from '../../core/logo-url.ts';
import { locales } from '../../core/messages/messages.ts';
import { type ProjectRole, projectRoles } from '../../core/project-roles.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';
import { allProjects } from './project-em.ts';
import { User } from './user.ts';

const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    id: primaryId(),
    name: p.text(),
    publicKeyHash: p.blob().unique(),
    secretKeyHash: p.blob().unique(),
    /** The keys, encrypted with AES-256-GCM, so that administrators can see them; look-ups use the hashes. */
    publicKeyEncrypted: p.blob(),
    secretKeyEncrypted: p.blob(),
    /** Signs the requests of WEBHOOK steps. Encrypted with AES-256-GCM; null until the first one. */
    webhookSecretEncrypted: p.blob().nullable(),
    /** Also signs during a grace period, so that receivers can rotate. */
    webhookSecretPreviousEncrypted: p.blob().nullable(),
    webhookSecretPreviousUntil: instant().nullable(),
    disabled: p.boolean().default(false),
    disabledReason: p.text().nullable(),
    /** Whether suppressed contacts are excluded from transactional email too. */
    suppressTransactional: p.boolean().default(false),
    /** Button color on the public pages, `#rrggbb` in lower case; null for the default. */
    brandColor: p.text().nullable().check(`brand_color ~ '^#[0-9a-f]{6}$'`),
    /** Logo on the public pages: https, or http on localhost. */
    logoUrl: p.text().nullable().check(`char_length(logo_url) <= ${maxLogoUrlLength}`),
    /** Postal address in the footer of marketing email; plain text of several lines. */
    footerAddress: p.text().nullable().check(`char_length(footer_address) <= ${maxFooterAddressLength}`),
    /** Language of footers and public pages, for contacts without a `locale`. */
    language: p.enum(locales).default('en'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Project extends ProjectSchema.class {
  suspend(reason: string): boolean {
    if (this.disabled) return false;
    this.disabled = true;
    this.disabledReason = reason;
    return true;
  }
}
ProjectSchema.setClass(Project);

/** The project as an id, for rows that end with it. */
export const ofProject = () =>
  p.manyToOne(Project).mapToPk().fieldName('project_id').updateRule('no action').deleteRule('cascade');

const MembershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  repository: () => MembershipRepository,
  properties: {
    project: () => p.manyToOne(Project).primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).primary().deleteRule('cascade').index(),
    role: p.enum(projectRoles),
    createdAt: createdAt(),
  },
});

export class Membership extends MembershipSchema.class {}
MembershipSchema.setClass(Membership);

export class MembershipRepository extends EntityRepository<Membership> {
  /** Always reads from the database: the membership may have just been revoked. */
  findWithProject(projectId: string, userId: string): Promise<Loaded<Membership, 'project'> | null> {
    return this.findOne({ project: projectId, user: userId }, { populate: ['project'], refresh: true });
  }

  listWithUsers(projectId: string, role?: ProjectRole): Promise<Loaded<Membership, 'user'>[]> {
    return this.find(
      { project: projectId, ...(role && { role }) },
      { populate: ['user'], orderBy: { createdAt: 'asc', user: 'asc' } },
    );
  }
}

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  repository: () => InvitationRepository,
  indexes: [{ name: 'invitations_email', properties: ['email'] }],
  uniques: [{ name: 'invitations_project_email', properties: ['projectId', 'email'] }],
  properties: {
    id: primaryId(),
    projectId: ofProject,
    email: p.text(),
    role: p.enum(projectRoles),
    tokenHash: p.blob().unique(),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});

export class Invitation extends InvitationSchema.class {
  isOpen(): boolean {
    return this.expiresAt.getTime() > Date.now();
  }
}
InvitationSchema.setClass(Invitation);

export class InvitationRepository extends EntityRepository<Invitation> {
  listOpen(): Promise<Invitation[]> {
    return this.find({ expiresAt: { $gt: new Date() } }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  }

  async findOpen(tokenHash: Buffer): Promise<Invitation | undefined> {
    const invitation = await this.findOne({ tokenHash }, allProjects);
    return invitation?.isOpen() ? invitation : undefined;
  }
}
