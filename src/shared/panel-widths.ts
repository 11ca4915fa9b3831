/** How wide the panels are before somebody moves their borders, in CSS pixels. */
export const USUAL_PANEL_WIDTHS = { sessions: 256, timeline: 280 } as const;
