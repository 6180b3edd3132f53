const key = 'posthaste-project';

/** The project that this browser showed last. */
export const lastProjectId = (): string | null => localStorage.getItem(key);

export function rememberProject(projectId: string): void {
  localStorage.setItem(key, projectId);
}
