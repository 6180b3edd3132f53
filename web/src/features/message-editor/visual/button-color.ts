import { useProject } from '../../../shell/session.ts';
import { defaultColor } from './links.ts';

/** @returns the color of new buttons: the project's brand color */
export const useButtonColor = (): string => useProject().brandColor ?? defaultColor;
