import { lazyComponent } from '../../ui/lazy-component.ts';

/**
 * Loads together with the page's data: a component that has arrived in time does not suspend, and React would reveal a
 * suspended one up to 300 ms late.
 */
export const GraphCanvas = lazyComponent(() => import('./graph-canvas.tsx'));
void GraphCanvas.preload?.();
