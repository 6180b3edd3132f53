import {
  CirclePlay,
  Clock,
  Hourglass,
  LogOut,
  type LucideIcon,
  Mail,
  Split,
  UserPen,
  Webhook,
} from 'lucide-react';
import type { StepType } from './graph/graph.ts';

export const stepTypes: Record<StepType, { title: string; icon: LucideIcon }> = {
  TRIGGER: { title: 'Trigger', icon: CirclePlay },
  SEND_EMAIL: { title: 'Send email', icon: Mail },
  DELAY: { title: 'Delay', icon: Clock },
  WAIT_FOR_EVENT: { title: 'Wait for event', icon: Hourglass },
  CONDITION: { title: 'Condition', icon: Split },
  WEBHOOK: { title: 'Webhook', icon: Webhook },
  UPDATE_CONTACT: { title: 'Update contact', icon: UserPen },
  EXIT: { title: 'Exit', icon: LogOut },
};

export type AddedType = Exclude<StepType, 'TRIGGER'>;

export const addedTypes = [
  'SEND_EMAIL',
  'DELAY',
  'WAIT_FOR_EVENT',
  'CONDITION',
  'WEBHOOK',
  'UPDATE_CONTACT',
  'EXIT',
] as const satisfies AddedType[];
