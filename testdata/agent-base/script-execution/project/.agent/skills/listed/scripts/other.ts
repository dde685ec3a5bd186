console.log("other");
