import { uploadSeconds } from '../../core/claim-times.ts';
import type { OutgoingEmail } from './email-provider.ts';

export const uploadSecondsOf = ({ attachments }: Pick<OutgoingEmail, 'attachments'>): number =>
  uploadSeconds(attachments.reduce((sum, { bytes }) => sum + bytes.length, 0));
