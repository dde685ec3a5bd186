console.log("fetched");
