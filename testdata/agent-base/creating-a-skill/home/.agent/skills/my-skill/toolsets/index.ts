export const MyToolset = [];
