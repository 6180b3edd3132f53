export type EditingMode = 'visual' | 'html';

const key = 'posthaste-editor';

/** The mode last used in this browser. */
export const lastMode = (): EditingMode => (localStorage.getItem(key) === 'html' ? 'html' : 'visual');

export function rememberMode(mode: EditingMode): void {
  localStorage.setItem(key, mode);
}
