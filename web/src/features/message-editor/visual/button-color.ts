import { useProject } from '../../../shell/session.ts';
import { defaultColor } from './links.ts';

/** Of new buttons: the brand's. */
export const useButtonColor = (): string => useProject().brandColor ?? defaultColor;
