import type { Schema } from '../../api/client.ts';

type Role = Schema<'Member'>['role'];

export const roleText: Record<Role, string> = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member' };

export const roleOptions: { value: Role; label: string; note: string }[] = [
  { value: 'MEMBER', label: 'Member', note: 'Everything but keys, members and billing' },
  { value: 'ADMIN', label: 'Admin', note: 'Everything but deletion and ownership' },
  { value: 'OWNER', label: 'Owner', note: 'Everything' },
];
