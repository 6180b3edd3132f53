import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  Ban,
  Braces,
  CalendarClock,
  Globe,
  House,
  Image,
  LayoutTemplate,
  ListFilter,
  type LucideIcon,
  Mail,
  Megaphone,
  Settings,
  Users,
  Waypoints,
} from 'lucide-react';

/** Pages of a project that need only its id. */
type ProjectPath = Exclude<
  Extract<LinkProps['to'], `/projects/$projectId${string}`>,
  `/projects/$projectId/${string}$${string}`
>;

export interface NavigationEntry {
  label: string;
  to: ProjectPath;
  icon: LucideIcon;
  /** Search terms for the command palette. */
  keywords?: string;
}

/** The side bar, and the pages of the command palette. */
export const navigation: { title: string | null; entries: NavigationEntry[] }[] = [
  {
    title: null,
    entries: [
      { label: 'Home', to: '/projects/$projectId', icon: House },
      { label: 'Emails', to: '/projects/$projectId/emails', icon: Mail, keywords: 'log sent messages' },
      {
        label: 'Activity',
        to: '/projects/$projectId/activity',
        icon: Activity,
        keywords: 'feed analytics received replies reply inbox',
      },
    ],
  },
  {
    title: 'Audience',
    entries: [
      {
        label: 'Contacts',
        to: '/projects/$projectId/contacts',
        icon: Users,
        keywords: 'people import new add',
      },
      { label: 'Segments', to: '/projects/$projectId/segments', icon: ListFilter },
      { label: 'Events', to: '/projects/$projectId/events', icon: CalendarClock },
    ],
  },
  {
    title: 'Messages',
    entries: [
      { label: 'Campaigns', to: '/projects/$projectId/campaigns', icon: Megaphone, keywords: 'broadcast' },
      { label: 'Templates', to: '/projects/$projectId/templates', icon: LayoutTemplate },
      {
        label: 'Workflows',
        to: '/projects/$projectId/workflows',
        icon: Waypoints,
        keywords: 'automation new create',
      },
    ],
  },
  {
    title: 'Set-up',
    entries: [
      { label: 'Domains', to: '/projects/$projectId/domains', icon: Globe, keywords: 'dns dkim spf new add' },
      { label: 'Suppressions', to: '/projects/$projectId/suppressions', icon: Ban, keywords: 'bounces' },
      { label: 'Images', to: '/projects/$projectId/images', icon: Image, keywords: 'uploads' },
      {
        label: 'Developers',
        to: '/projects/$projectId/developers',
        icon: Braces,
        keywords: 'api keys requests',
      },
      { label: 'Settings', to: '/projects/$projectId/settings', icon: Settings, keywords: 'members brand' },
    ],
  },
];
